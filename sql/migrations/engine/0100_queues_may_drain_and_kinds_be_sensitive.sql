-- A queue that is to be emptied takes no new jobs; a kind says whether its payloads are masked for people who look at jobs.
alter table mill.queue add column draining boolean not null default false;
alter table mill.kind add column sensitive boolean;
