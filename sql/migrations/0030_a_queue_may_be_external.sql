-- A queue that our processor and worker leave to programs of the user.
alter table mill.queue drop constraint if exists served_by_a_function_or_a_worker;
alter table mill.queue drop constraint if exists served_by_a_function_a_worker_or_others;
alter table mill.queue add constraint served_by_a_function_a_worker_or_others check (served_by in ('function', 'worker', 'external')) not valid;
alter table mill.queue validate constraint served_by_a_function_a_worker_or_others;
