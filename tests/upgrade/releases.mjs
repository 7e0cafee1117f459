// Two small releases: the first as a user has it, and changes to it that a second release may make.
import { folder } from "./harness.mjs";

const ROLES = `do $$
begin
  if to_regrole('anon') is null then create role anon nologin; end if;
  if to_regrole('authenticated') is null then create role authenticated nologin; end if;
  if to_regrole('service_role') is null then create role service_role nologin; end if;
end
$$;
grant usage on schema public to anon, authenticated, service_role;
`;

/** Files of the first release, by part. A change is a function that edits a copy of this. */
export const first = () => ({
  "platform base": {
    "platform/roles.sql": ROLES,
  },
  "engine base": {
    "engine/tables.sql": `create table mill.item (id bigint generated always as identity primary key, name text not null, size int not null default 0);
create table mill.queue (queue text primary key, part text default nullif(current_setting('mill.part', true), ''));
create table public.note (id int primary key, owner text not null, body text not null default '');
alter table public.note enable row level security;
grant select on public.note to authenticated;
`,
    "engine/size_of.sql": `create or replace function mill.size_of(p_text text) returns int
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select length(p_text) $$;
comment on function mill.size_of(text) is 'Letters.';
revoke execute on function mill.size_of(text) from public;
`,
    "engine/item_view.sql": `create or replace view public.item as select i.id, i.name, i.size, mill.size_of(i.name) as letters from mill.item i;
comment on view public.item is 'Items.';
grant select on public.item to authenticated, anon;
`,
    "engine/large_item.sql": `create or replace view public.large_item as select i.id, i.name from public.item i where i.size > 10;
grant select on public.large_item to authenticated;
`,
    "engine/items.sql": `create or replace function public.items() returns setof public.item
language sql stable set search_path = pg_catalog, pg_temp
as $$ select i.* from public.item i $$;
revoke execute on function public.items() from public;
grant execute on function public.items() to authenticated, anon;
`,
    "engine/add_item.sql": `create or replace function public.add_item(p_name text) returns bigint
language sql set search_path = pg_catalog, pg_temp
as $$ insert into mill.item (name) values (p_name) returning id $$;
comment on function public.add_item(text) is 'Adds an item.';
revoke execute on function public.add_item(text) from public;
grant execute on function public.add_item(text) to authenticated, service_role;
`,
    "engine/note_size.sql": `create or replace function mill.note_size() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$ begin new.size := mill.size_of(new.name); return new; end $$;
drop trigger if exists note_size on mill.item;
create trigger note_size before insert on mill.item for each row execute function mill.note_size();
drop trigger if exists note_size_again on mill.item;
create trigger note_size_again before update on mill.item for each row execute function mill.note_size();
`,
    "engine/is_mine.sql": `create or replace function mill.is_mine(p_owner text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$ select p_owner = current_user $$;
`,
    "engine/policies.sql": `drop policy if exists mine on public.note;
create policy mine on public.note for select to authenticated using (mill.is_mine(owner));
drop policy if exists short on public.note;
create policy short on public.note as restrictive for select to authenticated using (length(body) < 1000);
`,
    "engine/untouched.sql": `drop trigger if exists untouched on public.note;
create trigger untouched before update on public.note for each row execute function suppress_redundant_updates_trigger();
`,
  },
  "names library": {
    "names/tables.sql": "create table public.person (id int primary key, name text not null);\n",
  },
  "exports application": {
    "exports/tables.sql": `create table public.documents (id int primary key, title text not null, label text not null default mill.size_of('x')::text);
create index documents_by_title on public.documents (title);
create table mill.export (id int primary key references public.documents (id));
alter table mill.queue add constraint exports_have_a_name check (queue <> '');
`,
    "exports/export.sql": `create or replace function public.export(p_id int) returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$ select d.title from public.documents d where d.id = p_id $$;
revoke execute on function public.export(int) from public;
grant execute on function public.export(int) to authenticated;
drop trigger if exists untouched on public.documents;
create trigger untouched before update on public.documents for each row execute function suppress_redundant_updates_trigger();
`,
    "exports/defaults.sql": "insert into mill.queue (queue) values ('exports') on conflict do nothing;\n",
  },
  "reports application needs names": {
    "reports/tables.sql": "create table public.report (id int primary key, person int references public.person (id));\n",
  },
  "compat application": {
    "compat/old_name.sql": "create or replace function public.old_name() returns int language sql as $$ select 1 $$;\n",
  },
  "compat/exports joint needs compat exports": {
    "compat/exports/old_export.sql": "create or replace view public.old_export as select d.id from public.documents d;\n",
  },
});

/** A folder with the first release, changed. */
export function release(change = () => {}) {
  const parts = first();
  change(parts);
  return folder(Object.entries(parts));
}

const edit = (part, file, from, to) => (parts) => {
  const text = parts[part][file];
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  parts[part][file] = text.replaceAll(from, () => to);
};

/** What a second release may do; each is tried alone and all together. */
export const changes = {
  "a new parameter with a default": (parts) => {
    edit("engine base", "engine/add_item.sql", "(p_name text) returns", "(p_name text, p_size int default 0) returns")(parts);
    edit("engine base", "engine/add_item.sql", "add_item(text)", "add_item(text, int)")(parts);
  },
  "another return type, with views, functions and a default that depend on it":
    edit("engine base", "engine/size_of.sql", "returns int", "returns bigint"),
  "a renamed parameter of a function that a policy uses":
    (parts) => {
      edit("engine base", "engine/is_mine.sql", "p_owner", "p_who")(parts);
    },
  "a removed function": (parts) => {
    delete parts["engine base"]["engine/add_item.sql"];
  },
  "a removed trigger": (parts) => {
    edit("engine base", "engine/note_size.sql", `drop trigger if exists note_size_again on mill.item;
create trigger note_size_again before update on mill.item for each row execute function mill.note_size();
`, "")(parts);
  },
  "a view with another column order, a view over it and a function that returns its rows":
    edit("engine base", "engine/item_view.sql", "i.id, i.name, i.size", "i.id, i.size, i.name"),
  "a removed policy": edit("engine base", "engine/policies.sql", `drop policy if exists short on public.note;
create policy short on public.note as restrictive for select to authenticated using (length(body) < 1000);
`, ""),
  "a grant and a comment that are no more": (parts) => {
    edit("engine base", "engine/items.sql", "to authenticated, anon", "to authenticated")(parts);
    edit("engine base", "engine/item_view.sql", "comment on view public.item is 'Items.';\n", "")(parts);
    edit("engine base", "engine/item_view.sql", "to authenticated, anon", "to authenticated")(parts);
  },
  "a removed file with a trigger": (parts) => {
    delete parts["engine base"]["engine/untouched.sql"];
  },
  "a function that becomes a procedure": (parts) => {
    edit("compat application", "compat/old_name.sql", "function public.old_name() returns int language sql as $$ select 1 $$",
      "procedure public.old_name() language sql as $$ select 1 $$")(parts);
  },
  "a function that moves to another file": (parts) => {
    const { "engine/is_mine.sql": text, ...rest } = parts["engine base"];
    parts["engine base"] = Object.fromEntries(Object.entries(rest).flatMap(([path, other]) =>
      path === "engine/policies.sql" ? [["engine/access/is_mine.sql", text], [path, other]] : [[path, other]]));
  },
  "a table with a new column, by a named migration": (parts) => {
    edit("engine base", "engine/tables.sql", "size int not null default 0)", "size int not null default 0, colour text not null default 'red')")(parts);
    parts["engine base"]["migrations/0002_items_have_a_colour.sql"] = "alter table mill.item add column colour text not null default 'red';\n";
  },
};
