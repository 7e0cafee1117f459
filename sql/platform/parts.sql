-- The books of `gristmill migrate`: which parts are installed, which files were applied, and what they have made.
-- This file is applied before all others; sql/manifest.txt does not list it.
create schema if not exists mill;

create table if not exists mill.part (
  part text primary key,
  schema text not null default 'public',
  asked boolean not null default false,
  installed_at timestamptz not null default now()
);
comment on table mill.part is 'The installed parts. schema: where their exposed objects lie. asked: named by --with, not only needed by another part.';

create table if not exists mill.migration (
  path text primary key,
  checksum text not null,
  applied_at timestamptz not null default now()
);
comment on table mill.migration is 'The files of sql/ that were applied, with the SHA-256 of their text.';

create table if not exists mill.object (
  kind text not null,
  name text not null,
  path text not null,
  arguments text,
  checksum text,
  primary key (kind, name)
);
comment on table mill.object is 'What each file has made, so that what a later release no longer has can be removed. arguments: of a routine, to tell it from a routine of the user with the same name. checksum: of the statement that made a trigger or policy.';

revoke all on mill.part, mill.migration, mill.object from public;
