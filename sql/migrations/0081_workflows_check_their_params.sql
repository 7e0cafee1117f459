alter table public.workflow_definition
  add column params_schema jsonb, add column compiled_params jsonb, add column choices jsonb not null default '{}';
alter table public.job_artifacts drop constraint type_is_known,
  add constraint type_is_known check (artifact_type in ('audio_mp3', 'audio_m4a', 'pdf', 'json')) not valid;
alter table public.job_artifacts validate constraint type_is_known;
