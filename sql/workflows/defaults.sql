-- Rows that a fresh installation starts with. What an operator has changed stays as it is.
insert into mill.settings (key, value, type, description) values
  ('workflows.max_items', '20000', 'number', 'The longest list that a workflow may fan out over'),
  ('workflows.remember_days', '90', 'number', 'How long a workflow and its artifacts are kept after its end')
on conflict (key) do nothing;

-- Fair: one user's hundred documents do not keep another's first one waiting.
insert into mill.queue (queue, description, dequeue, lease_seconds, max_attempts, backoff_base_seconds, backoff_cap_seconds) values
  ('workflows', 'Tasks of workflows that the container worker does', 'fair', 90, 4, 2, 120)
on conflict (queue) do nothing;
-- Setting pages can take the whole limit of a child. So one user has no more than five at once, over all workers: the
-- places of a worker are left to others.
insert into mill.queue (queue, description, dequeue, max_running_per_group, lease_seconds, max_attempts, backoff_base_seconds, backoff_cap_seconds) values
  ('workflow_pages', 'Tasks of workflows that set PDFs', 'fair', 5, 90, 4, 2, 120)
on conflict (queue) do nothing;
insert into mill.kind (kind, queue, description) values
  ('calculation', 'workflows', 'Works out what a job''s documents are about'),
  ('text_generation', 'workflows', 'Writes the text of a document'),
  ('pdf_generation', 'workflow_pages', 'Sets a document as PDF'),
  ('audio_generation', 'workflows', 'Reads a document aloud, as MP3'),
  ('finalization', 'workflows', 'Makes the book and the list of what a job has made')
on conflict (kind) do nothing;

-- Whose output the tasks need that the service inserts into job_tasks.
insert into mill.task_need (kind, needs, reach) values
  ('text_generation', 'calculation', 'nearest'),
  ('pdf_generation', 'text_generation', 'nearest'),
  ('audio_generation', 'text_generation', 'nearest'),
  ('finalization', null, 'all')
on conflict (kind, needs) do nothing;

insert into public.workflow_definition (type, version, description, tasks, defaults) values (
  'echo', 1, 'For a first try: two tasks, the second of which says what the first one heard',
  $$[
    {"key": "listen", "kind": "echo", "input": {"message": "{{params.message}}"}},
    {"key": "repeat", "kind": "echo", "needs": ["listen"], "input": {"message": "Heard: {{listen.echo.message}}"}}
  ]$$,
  '{"message": "hello"}')
on conflict do nothing;

-- Five systems, each for one person, for the other and for the two together, and a verdict: sixteen documents, and a book of all of them.
-- The weights are the shares of the phases: calculating to 10, text to 50, pdf to 70, audio to 95. Version 1 was that of release 0.1.0.
insert into public.workflow_definition (type, version, description, documents, tasks, defaults, params_schema, choices) values (
  'nuclear_v2', 2, 'Sixteen documents about two people: text, PDF and audio of each, and all of them as one book', 'audio',
  $$[
    {"key": "calculating", "kind": "calculation", "weight": 10,
     "input": {"user": "{{job.user}}", "job": "{{job.id}}", "task": "{{task.id}}", "person1": "{{params.person1}}", "person2": "{{params.person2}}",
               "systems": "{{params.systems}}", "documents": "{{params.documents}}"}},
    {"key": "text", "kind": "text_generation", "needs": ["calculating"], "for_each": "params.documents", "weight": 40,
     "input": {"user": "{{job.user}}", "job": "{{job.id}}", "task": "{{task.id}}", "document": "{{item}}", "index": "{{index}}",
               "facts": "{{calculating.facts}}", "calculations": "{{calculating.path}}", "documents": "{{params.documents}}"}},
    {"key": "pdf", "kind": "pdf_generation", "each": "text", "weight": 20,
     "input": {"user": "{{job.user}}", "job": "{{job.id}}", "task": "{{task.id}}", "text": "{{text.path}}"}},
    {"key": "audio", "kind": "audio_generation", "each": "pdf", "weight": 25,
     "input": {"user": "{{job.user}}", "job": "{{job.id}}", "task": "{{task.id}}", "text": "{{text.path}}", "format": "{{params.audio}}"}},
    {"key": "finalizing", "kind": "finalization", "needs": ["audio"], "weight": 5,
     "input": {"user": "{{job.user}}", "job": "{{job.id}}", "task": "{{task.id}}", "name": "full_nuclear",
               "made": ["{{text}}", "{{pdf}}", "{{audio}}"]}}
  ]$$,
  jsonb_build_object(
    'person1', '{"name": "Ada Lovelace", "born": "1815-12-10"}'::jsonb,
    'person2', '{"name": "Charles Babbage", "born": "1791-12-26"}'::jsonb,
    'audio', 'mp3',
    'systems', '["western", "vedic", "human_design", "numerology", "chinese"]'::jsonb,
    'documents', (
      select jsonb_agg(jsonb_build_object('system', s.system, 'about', a.about) order by s.n, a.n)
      from unnest(array['western', 'vedic', 'human_design', 'numerology', 'chinese']) with ordinality as s(system, n)
      cross join unnest(array['person1', 'person2', 'both']) with ordinality as a(about, n)
    ) || '[{"system": "verdict", "about": "both"}]'),
  $${
    "type": "object",
    "required": ["person1", "person2", "systems", "documents", "audio"],
    "properties": {
      "person1": {"$ref": "#/$defs/person"},
      "person2": {"$ref": "#/$defs/person"},
      "systems": {"type": "array", "minItems": 1, "uniqueItems": true,
        "items": {"enum": ["western", "vedic", "human_design", "numerology", "chinese"]}},
      "audio": {"enum": ["mp3", "m4a"]},
      "documents": {"type": "array", "minItems": 1, "maxItems": 64, "items": {"$ref": "#/$defs/document"}}
    },
    "$defs": {
      "person": {
        "type": "object", "required": ["name", "born"], "additionalProperties": false,
        "properties": {
          "name": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "[^ ]"},
          "born": {"type": "string", "format": "date", "pattern": "^(1[6-9]|2[01])[0-9][0-9]-"},
          "time": {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"},
          "zone": {"type": "string", "minLength": 1, "maxLength": 60},
          "place": {
            "type": "object", "required": ["latitude", "longitude"], "additionalProperties": false,
            "properties": {
              "name": {"type": "string", "maxLength": 100},
              "latitude": {"type": "number", "minimum": -90, "maximum": 90},
              "longitude": {"type": "number", "minimum": -180, "maximum": 180}
            }
          }
        },
        "if": {"required": ["time"]},
        "then": {"anyOf": [{"required": ["zone"]}, {"required": ["place"]}]}
      },
      "document": {
        "type": "object", "required": ["system", "about"], "additionalProperties": false,
        "properties": {
          "system": {"enum": ["western", "vedic", "human_design", "numerology", "chinese", "verdict",
            "calendar", "numbers", "seasons", "letters", "distances"]},
          "about": {"enum": ["person1", "person2", "both"]},
          "title": {"type": "string", "minLength": 1, "maxLength": 200}
        }
      }
    }
  }$$,
  '{"documents": {"field": "system", "among": "systems"}}')
on conflict do nothing;

insert into mill.cleanup_step (step, description, run, confirm, max_items, place) values
  ('workflows', 'Workflows that ended long ago, with their artifacts', 'mill.cleanup_workflows', 'mill.confirm_workflows', 1000, 70)
on conflict (step) do update set run = excluded.run, confirm = excluded.confirm, description = excluded.description;

insert into mill.repeatable_call (function, created) values
  ('retry_workflow', '$')
on conflict (function) do update set created = excluded.created, part = excluded.part;

insert into mill.hook (event, routine, place) values
  ('ended', 'mill.advance_ended', 100),
  ('acted', 'mill.resume_acted', 50),
  ('tick', 'mill.advance_left_behind', 90)
on conflict (event, routine) do update set place = excluded.place;

-- A user reads the artifacts of the own workflows, which lie at {user}/{job}/{type}/…, and lists the own folder.
create or replace function mill.may_read_artifact(p_key text, p_user uuid) returns boolean
language sql immutable
return nullif(p_key ~ ('^' || p_user || '/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/(audio|pdf|json)/.+)?$'), false);
comment on function mill.may_read_artifact(text, uuid) is 'Rule of read: the artifacts of a user''s workflows.';
revoke execute on function mill.may_read_artifact(text, uuid) from public;

insert into mill.object_rule (act, routine) values ('read', 'mill.may_read_artifact')
on conflict (act, routine) do nothing;

-- The bucket of artifacts. Those of earlier releases lie in the bucket gristmill, and so do the texts that other tasks read.
insert into mill.bucket (bucket, description) values ('job-artifacts', 'What the tasks of jobs made: {user}/{job}/audio|pdf|json/…')
on conflict (bucket) do update set description = excluded.description;

create or replace function mill.may_read_job_artifact(p_key text, p_user uuid) returns boolean
language sql immutable
return mill.may_read_artifact(p_key, p_user);
comment on function mill.may_read_job_artifact(text, uuid) is 'Rule of read in the bucket job-artifacts: the artifacts of a user''s workflows.';
revoke execute on function mill.may_read_job_artifact(text, uuid) from public;

-- A worker that was given up on may still be storing. What it stores must not replace what a completed task has made.
create or replace function mill.may_replace_job_artifact(p_key text, p_user uuid) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case when exists (
    select from public.job_artifacts a join mill.task t on t.id = a.task_id
    where a.bucket = 'job-artifacts' and a.storage_path = p_key and t.state = 'completed') then false end
$$;
comment on function mill.may_replace_job_artifact(text, uuid) is 'Rule of replace in the bucket job-artifacts: not once the task is complete.';
revoke execute on function mill.may_replace_job_artifact(text, uuid) from public;

insert into mill.object_rule (act, routine, bucket) values
  ('read', 'mill.may_read_job_artifact', 'job-artifacts'), ('replace', 'mill.may_replace_job_artifact', 'job-artifacts')
on conflict (act, routine) do update set bucket = excluded.bucket;
