-- The version of the SQL that is installed: that of the release which `gristmill migrate` came from. scripts/release checks that it is the workspace's.
create or replace function mill.version() returns text
language sql immutable
return '0.1.0';

comment on function mill.version() is 'The version of Gristmill whose SQL is installed.';
revoke execute on function mill.version() from public;
