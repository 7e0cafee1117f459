-- A hook is known by its routine: under the new name it would be a second one.
update mill.hook h set routine = n.new
from (values
  ('mill.take_limited', 'mill.lock_jobs_within_limit'),
  ('mill.next_room', 'mill.seconds_to_capacity')) as n(old, new)
where h.routine = n.old;
