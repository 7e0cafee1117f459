//! `gristmill migrate --sql`: one plain SQL file that installs parts on an empty database, for the user's own migration tool.

use super::books;
use super::choice::Choice;
use super::manifest::{BOOKS, Manifest, Mode};
use super::place::Places;
use super::statements::literal;
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

/// Tells cron and PostgREST.
pub(super) const FINISH: &str = "do $$
begin
  if to_regprocedure('mill.install_schedules()') is not null then
    perform mill.install_schedules();
  end if;
end $$;
notify pgrst, 'reload schema';\n";

/// What a run sets for itself. Every name in the files is qualified, and the search path keeps it so.
pub(super) const SETTINGS: &str = "set local search_path = pg_catalog, pg_temp;
set local statement_timeout = 0;
set local idle_in_transaction_session_timeout = 0;
set local client_min_messages = warning;
set local check_function_bodies = on;\n";

/// The whole script. The database must be empty: a name that is taken fails, and nothing is kept.
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
