alter table mill.object_rule add column bucket text not null default 'gristmill';
