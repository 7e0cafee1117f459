-- Tickets for streams of events: a browser's EventSource can send no header, so it cannot show a token. A user asks for a ticket with the
-- token, and the stream's address carries the ticket. It is signed, names one user and one thing, and ends soon (streams.ticket_seconds).
-- Nothing is kept about a ticket: within its time a browser may connect again with it, and it opens nothing that its user may not read.

-- Which exposed functions may be called with a ticket: rows, so that a part adds its own with an INSERT. Each is SECURITY DEFINER, reads only,
-- and asks auth.uid() who calls, because mill.call_with_ticket calls it with the rights of our owner.
create table mill.ticket_call (
  function text primary key,
  -- A ticket is for one kind of thing, and opens every function of that kind with the arguments that the ticket names.
  kind text not null,
  -- The part that brought the function: it is looked for in the schema of that part.
  part text default nullif(current_setting('mill.part', true), ''),
  constraint function_is_a_plain_name check (function ~ '^[a-z_][a-z0-9_]{0,62}$'),
  constraint kind_is_a_plain_name check (kind ~ '^[a-z_]{1,32}$')
);
comment on table mill.ticket_call is 'Exposed functions that read_with_ticket may call.';
