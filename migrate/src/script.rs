//! `gristmill migrate --sql`: one plain SQL file that installs parts on an empty database, for the user's own migration tool.

use std::collections::HashSet;

use super::books;
use super::choice::Choice;
use super::error;
use super::manifest::{BOOKS, Manifest, Mode};
use super::object::literal;
use super::place::Places;
use super::upgrade;

/// Switches on pg_net and pg_cron where the server offers them: each must be preloaded, and pg_cron
/// lives in one database only.
pub(super) const ENABLE_EXTENSIONS: &str = "do $$
begin
  if current_setting('cron.database_name', true) = current_database() then
    create extension if not exists pg_cron;
  end if;
  if current_setting('shared_preload_libraries') ~ '\\mpg_net\\M' then
    create extension if not exists pg_net;
  end if;
exception when insufficient_privilege then
  raise warning 'pg_cron or pg_net is available; ask an administrator to create the extension';
end $$;\n";

/// Remembers what is there before anything is changed, so that only the changes of this run are written into `mill.catalog`: what was damaged
/// before must not pass for what the release has made.
pub(super) const NOTE_CATALOG: &str = "do $$
begin
  if to_regprocedure('mill.note_catalog()') is not null then
    perform mill.note_catalog();
  end if;
end $$;\n";

/// Tells cron and PostgREST, and writes down what was made.
pub(super) const FINISH: &str = "do $$
begin
  if to_regprocedure('mill.install_schedules()') is not null then
    perform mill.install_schedules();
  end if;
  if to_regprocedure('mill.record_catalog()') is not null then
    perform mill.record_catalog();
  end if;
end $$;
notify pgrst, 'reload schema';\n";

/// What a run sets for itself. Every name in the files is qualified, and the search path keeps it so.
pub(super) const SETTINGS: &str = "set local search_path = pg_catalog, pg_temp;
set local statement_timeout = 0;
set local idle_in_transaction_session_timeout = 0;
set local client_min_messages = warning;
set local check_function_bodies = on;\n";

/// The whole script. It looks first whether any of its names is taken, because `create or replace` would overwrite a user's
/// function, and fails before it has changed anything.
pub(super) fn write(manifest: &Manifest, choice: &Choice) -> String {
    let schemas = choice
        .parts
        .iter()
        .map(|(name, part)| (name.as_str(), part.schema.as_str()));
    let places = Places::new(manifest, schemas);
    let mut sql = format!(
        "-- Gristmill {}: {}.\n-- Made by gristmill migrate --sql. For an empty database; later ones are upgraded by gristmill migrate.\nbegin;\n{SETTINGS}\n",
        env!("CARGO_PKG_VERSION"),
        choice.added.join(", ")
    );
    sql.push_str(&refuse_taken(manifest, choice, &places));
    sql.push_str(BOOKS);
    for schema in upgrade::schemas(choice) {
        if schema != "mill" && schema != "public" {
            sql.push_str(&books::open_schema(&schema, true));
        }
    }
    for part in manifest
        .parts
        .iter()
        .filter(|part| choice.parts.contains_key(&part.name))
    {
        sql.push_str(&format!(
            "\nset local mill.part = {};\n",
            literal(&part.name)
        ));
        sql.push_str(&books::record_part(&part.name, &choice.parts[&part.name]));
        for file in &part.files {
            if file.mode == Mode::Migration {
                sql.push_str(&books::record(file, &[]));
                continue;
            }
            let text = places.put(&file.text);
            let statements = super::statements::of(&text);
            sql.push_str(&format!("\n-- sql/{}\n", file.path));
            sql.push_str(text.trim_end());
            sql.push('\n');
            sql.push_str(&books::record(file, &books::declared(&statements)));
        }
    }
    sql.push_str("\nset local mill.part = '';\n");
    for schema in upgrade::schemas(choice) {
        if schema != "mill" && schema != "public" {
            sql.push_str(&books::grant_schema(&schema));
        }
    }
    sql.push_str(books::RECORD_ARGUMENTS);
    sql.push_str(ENABLE_EXTENSIONS);
    sql.push_str(FINISH);
    sql.push_str("commit;\n");
    sql
}

/// Does in SQL what `migrate` does when it is connected. What lies in `mill` need not be looked for: the schema itself must
/// not exist.
fn refuse_taken(manifest: &Manifest, choice: &Choice, places: &Places) -> String {
    let mut rows =
        vec!["(0, 'schema', 'mill', 'schema mill (wanted by platform)', false)".to_owned()];
    let mut seen = HashSet::new();
    let files = manifest.files().filter(|(part, file)| {
        choice.parts.contains_key(&part.name) && file.mode != Mode::Migration
    });
    for (part, file) in files {
        for statement in books::statements_of(file, places) {
            let Some(object) = statement.creates() else {
                continue;
            };
            let class = match object.kind {
                kind if kind.is_routine() => "routine",
                kind if kind.is_relation() => "relation",
                _ => continue,
            };
            if object.schema() == "mill" || !seen.insert(object.clone()) {
                continue;
            }
            rows.push(format!(
                "({}, '{class}', {}, {}, {})",
                rows.len(),
                literal(&object.name),
                literal(&format!("{object} (wanted by {})", part.name)),
                !part.insists_on_public()
            ));
        }
    }
    format!(
        "do $gristmill$
declare
  v_taken text;
  v_can_move boolean;
begin
  select string_agg('  ' || w.what, e'\\n' order by w.place), bool_or(w.can_move) into v_taken, v_can_move
  from (values
    {}
  ) w(place, class, name, what, can_move)
  where case w.class
    when 'schema' then w.name in (select n.nspname from pg_namespace n)
    when 'routine' then w.name in (select n.nspname || '.' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace)
    else w.name in (select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace)
      or w.name in (select n.nspname || '.' || t.typname from pg_type t join pg_namespace n on n.oid = t.typnamespace)
  end;
  if v_taken is not null then
    raise exception using errcode = 'duplicate_object', message = concat_ws(e'\\n', {}, v_taken,
      case when v_can_move then {} else {} end);
  end if;
end
$gristmill$;\n\n",
        rows.join(",\n    "),
        literal(error::TAKEN),
        literal(error::way_out(true)),
        literal(error::way_out(false))
    )
}
