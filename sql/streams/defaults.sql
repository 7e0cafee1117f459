insert into mill.settings (key, value, type, description) values
  ('streams.ticket_seconds', '75', 'number', 'How long a ticket for a stream of events is good: a minute of streaming, and the time to connect')
on conflict (key) do nothing;

-- gen_random_uuid draws from the system's strong source, 122 bits each.
select mill.set_secret('tickets', sha256(convert_to(concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), 'UTF8')))
where not exists (select from mill.secret s where s.name = 'tickets');
