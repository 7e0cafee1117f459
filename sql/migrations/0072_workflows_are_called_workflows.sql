-- Its file makes this trigger again as begin_workflow. In the books of 0.1.0 it stands with the earlier name of its table, so migrate would take
-- it for a user's.
drop trigger if exists begin_job on mill.workflow;
comment on table mill.task_claim is 'The last claim of a task by a compat worker, and when the worker was last heard of.';
