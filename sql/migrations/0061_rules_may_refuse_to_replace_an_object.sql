alter table mill.object_rule drop constraint act_is_known, add constraint act_is_known check (act in ('read', 'write', 'remove', 'replace'));
