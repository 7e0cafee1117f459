-- The files make these triggers under the names of docs/decisions/names.md. Both at once would make two floors for the line of a queue that
-- an application brings.
drop trigger if exists floor_on_new_queue on mill.queue;
drop trigger if exists adopt_on_change on mill.queue;
drop trigger if exists count_running on mill.queue;
drop trigger if exists floor_on_new_line on mill.line;
drop trigger if exists tell_ended on mill.ended;

delete from mill.heartbeat h where h.part in ('sweep', 'stand-in');

comment on view mill.floor is
  'A claim skips what lies below turn: dead index entries. Nothing can still appear below safe; mill.lower_floors looks between the two.';
