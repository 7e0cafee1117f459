create table mill.catalog (
  kind text not null,
  name text not null,
  belongs_to text not null,
  state text not null,
  mend text not null,
  postgres int not null,
  primary key (kind, name)
);
comment on table mill.catalog is 'What the installed release has made: routines, tables, columns, indexes, constraints, triggers, policies, grants. mend: the SQL that restores it.';

create table mill.catalog_before (
  kind text not null,
  name text not null,
  state text not null,
  primary key (kind, name)
);
comment on table mill.catalog_before is 'What a migration that is under way has found. Empty at any other time.';
