-- The queue of this job and the function that serves it, which is functions/greet. `gristmill dev` runs the files of this
-- folder at every start, in the order of their names. So each file must be able to run twice.
insert into mill.queue (queue, description, served_by, function)
values ('greetings', 'Greetings, written by functions/greet', 'function', 'greet')
on conflict (queue) do update set served_by = excluded.served_by, function = excluded.function;

-- open_to_users: signed-in users may submit this kind, for themselves.
insert into mill.kind (kind, queue, description, open_to_users)
values ('greet', 'greetings', 'Greets a person by name', true)
on conflict (kind) do update set queue = excluded.queue, open_to_users = excluded.open_to_users;
