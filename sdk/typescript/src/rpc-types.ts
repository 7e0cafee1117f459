// The functions that can be called as RPCs, with their arguments and answers. Made by scripts/schema from a full installation
// (gristmill migrate --with all): change the SQL, not this file.

/** Any value that JSON has. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined };

export interface Rpcs {
  /** Takes back an upload; true when nothing names its place any more, so that the caller may remove what is stored there. For authenticated, service_role. */
  abandon_document_upload: {
    args: { p_id: string; p_place: string };
    result: boolean;
  };
  /** Accepts a grant of access that the caller was given; false for an unknown one and another's alike. Refusing it is a DELETE. For authenticated. */
  accept_profile_access: {
    args: { p_grant_id: string };
    result: boolean;
  };
  /** The profiles that the caller owns or was let into. For authenticated, service_role. */
  accessible_profiles: {
    args: Record<string, never>;
    result: string[];
  };
  /** Whether a provider may be called now; true reserves the call and its estimated tokens. GM020 without an active limit. For service_role. */
  acquire_api_capacity: {
    args: { p_provider_name: string; p_api_endpoint: string; p_estimated_tokens?: number | null };
    result: boolean;
  };
  /** What a stage works on: {outcome: work, …}, or why the job has no work, as mill.judge_stage says it; null when the lease is lost. For service_role. */
  begin_document_stage: {
    args: { p_job: string; p_worker: string; p_attempt: number };
    result: Json;
  };
  /** Registers an upload: {id, place, is_stored, sha256}, where is_stored says that an earlier upload with this key has ended; or {over}, the meters of the plan that forbid it. For authenticated. */
  begin_document_upload: {
    args: { p_mime_type: string; p_filename?: string | null; p_idempotency_key?: string | null; p_profile_id?: string | null };
    result: Json;
  };
  /** Erases what was read out of a document and marks it erasing; answers the places of its objects. For authenticated, service_role. */
  begin_erase_document: {
    args: { p_id: string };
    result: Json;
  };
  /** What a worker is to set, or null when it holds the export no more. For service_role. */
  begin_export: {
    args: { p_job: string; p_worker: string; p_attempt: number };
    result: Json;
  };
  /** Calls a function that creates something, once per idempotency key of the caller in 24 hours: {answer, replayed}. Raises GM080 when the key was used for another request, GM081 while the first call is running, GM082 past the user's number of keys. For authenticated, service_role. */
  call_once: {
    args: { p_key: string; p_function: string; p_arguments?: Json | null; p_request?: string | null };
    result: Json;
  };
  /** Whether the caller may read an object, or list below a prefix that ends in "/". For authenticated, service_role. */
  can_access_object: {
    args: { p_key: string };
    result: boolean;
  };
  /** Whether the caller may remove this object. For authenticated, service_role. */
  can_remove_object: {
    args: { p_key: string };
    result: boolean;
  };
  /** Whether the caller may store an object at this place. For authenticated, service_role. */
  can_write_object: {
    args: { p_key: string };
    result: boolean;
  };
  /** Cancels an export of the caller's; GM053 once it has ended. For authenticated. */
  cancel_export: {
    args: { p_id: string };
    result: Json;
  };
  /** Cancels jobs; cancelled, requested or not_live for each. For service_role. */
  cancel_jobs: {
    args: { p_ids: string[] };
    result: Json;
  };
  /** Cancels a job of the caller's: {id, status, cancelled, running}. Raises GM067 when it has ended already. For authenticated, service_role. */
  cancel_workflow: {
    args: { p_id: string };
    result: Json;
  };
  /** Puts a profile on a plan, with its event and its line in the audit log. For service_role. */
  change_plan: {
    args: { p_profile_id: string; p_plan: string; p_reason?: string | null };
    result: string;
  };
  /** Queues what is missing or stale of a symbol. A user reaches what the user watches, with at most the number of its viewers as priority. For authenticated, service_role. */
  check_and_queue_stale_batch: {
    args: { p_symbol: string; p_data_types: string[]; p_priority?: number | null };
    result: null;
  };
  /** Queues what is stale of what is in the list of subscriptions or, without a list, of what is watched. Does nothing while another run is at it. For service_role. */
  check_and_queue_stale_data_from_presence: {
    args: { presence_subscriptions?: Json | null };
    result: null;
  };
  /** check_and_queue_stale_data_from_presence under its second name. For service_role. */
  check_and_queue_stale_data_from_presence_v2: {
    args: { presence_subscriptions?: Json | null };
    result: null;
  };
  /** When each of the named cron jobs, or each critical one, last succeeded; null for one that never did and for one that does not exist. For service_role. */
  check_cron_job_health: {
    args: { p_critical_jobs?: string[] | null; critical_jobs?: string[] | null };
    result: { jobname: string | null; last_run: string | null }[];
  };
  /** Leases due jobs to a worker, as an array. For service_role. */
  claim_jobs: {
    args: { p_worker: string; p_queues: string[]; p_max: number; p_kinds?: string[] | null; p_invocation?: string | null; p_leave_external?: boolean | null };
    result: Json;
  };
  /** Leases the next due job of the types, or of any, to a worker; no row when there is none. For service_role. */
  claim_next_job_v3: {
    args: { worker_id: string; job_types?: string[] | null; heartbeat_interval_seconds?: number | null };
    result: { job_id: string | null; job_type: string | null; job_payload: Json; retry_count: number | null }[];
  };
  /** Leases up to 50 refreshes to a processor, with the registry rows they need. For service_role. */
  claim_refresh: {
    args: { p_worker: string; p_queue?: string | null; p_max?: number | null; p_invocation?: string | null };
    result: Json;
  };
  /** Leases due tasks of the types to a worker; of all types that workflows use when none is named. job_id is null for a job of the type that belongs to no workflow. For service_role. */
  claim_tasks: {
    args: { p_worker_id: string; p_max_tasks?: number | null; p_task_types?: string[] | null };
    result: { id: string | null; job_id: string | null; task_type: string | null; sequence: number | null; status: string | null; input: Json; output: Json; worker_id: string | null; claimed_at: string | null; heartbeat_at: string | null; attempts: number | null; max_attempts: number | null; error: string | null; key: string | null; item: number | null; phase: string | null; progress: number | null; error_details: Json; finished_at: string | null }[];
  };
  /** The signed request of an invocation that was asked for and has not begun, of the queue of a job, as {url, headers, body}. One caller gets it, once. For service_role. */
  claim_wake_up: {
    args: { p_job: string };
    result: Json;
  };
  /** The names of the cleanup's steps, in their order. For service_role. */
  cleanup_steps: {
    args: Record<string, never>;
    result: Json;
  };
  /** Completes a job that the worker holds; false when the lease is lost, and then nothing has changed. For service_role. */
  complete_job: {
    args: { p_job_id: string; p_worker_id: string; p_job_result?: Json | null };
    result: boolean;
  };
  /** Completes a refresh that get_queue_batch gave out and counts its bytes. Nothing happens when no such lease runs. For service_role. */
  complete_queue_job: {
    args: { p_job_id: string; p_data_size_bytes: number };
    result: null;
  };
  /** Completes a task that the worker holds and starts what waited for it; false when the lease is lost, and then nothing has changed. For service_role. */
  complete_task: {
    args: { p_task_id: string; p_worker_id: string; p_output: Json };
    result: boolean;
  };
  /** These objects are gone: the step may forget their rows. For service_role. */
  confirm_cleanup_step: {
    args: { p_step: string; p_keys: string[] };
    result: Json;
  };
  /** Rows of the audit log that match a search, newest first: {rows, looked, done, cursor, query}. Old and new values are for admins. For viewers of the console. For authenticated, service_role. */
  console_audit: {
    args: { p_search?: string | null; p_cursor?: string | null; p_limit?: number | null };
    result: Json;
  };
  /** Retries, discards or cancels all jobs that match a search, as a job that runs in rounds of the pump. For operators of the console. For authenticated, service_role. */
  console_bulk: {
    args: { p_action: string; p_search: string; p_group: string; p_reason: string };
    result: Json;
  };
  /** Bulk actions, the newest first, and how far each is. For viewers of the console. For authenticated, service_role. */
  console_bulks: {
    args: { p_limit?: number | null };
    result: Json;
  };
  /** Cancels jobs: cancelled, requested (of a running one) or not_live for each. For operators of the console. For authenticated, service_role. */
  console_cancel: {
    args: { p_ids: string[]; p_reason: string };
    result: Json;
  };
  /** Cancels a workflow: {id, status, cancelled}. Raises GM067 when it has ended. For operators of the console. For authenticated, service_role. */
  console_cancel_workflow: {
    args: { p_id: string; p_reason: string };
    result: Json;
  };
  /** Dead letters that match a search by kind, error type and shape of message: {groups, looked, done, cursor}. For viewers of the console. For authenticated, service_role. */
  console_dead_groups: {
    args: { p_search?: string | null; p_cursor?: string | null; p_limit?: number | null };
    result: Json;
  };
  /** Deletes a schedule of users; its jobs stay: {name, deleted}. For operators of the console. For authenticated, service_role. */
  console_delete_schedule: {
    args: { p_name: string; p_reason: string };
    result: Json;
  };
  /** Deletes dead letters: discarded or not_dead for each. For operators of the console. For authenticated, service_role. */
  console_discard: {
    args: { p_ids: string[]; p_reason: string };
    result: Json;
  };
  /** A document with one page's words and their boxes, its facts, confidences and audit rows; texts are masked until revealed. For viewers of the console. For authenticated, service_role. */
  console_document: {
    args: { p_id: string; p_page?: number | null };
    result: Json;
  };
  /** Documents that match a search, newest upload first, with why a person should look at each: {documents, waiting, looked, done, cursor, query}. For viewers of the console. For authenticated, service_role. */
  console_documents: {
    args: { p_search?: string | null; p_cursor?: string | null; p_limit?: number | null };
    result: Json;
  };
  /** Drains a queue, or ends that: new jobs are answered as throttled, what waits and runs is worked off. For operators of the console. For authenticated, service_role. */
  console_drain: {
    args: { p_queue: string; p_draining: boolean; p_reason: string };
    result: Json;
  };
  /** Enqueues a job from JSON text, also an edited copy of another: {id, status}. For operators of the console; for another owner, admins. For authenticated, service_role. */
  console_enqueue: {
    args: { p_kind: string; p_payload: string; p_options?: Json | null; p_reason?: string | null };
    result: Json;
  };
  /** Exports that match a search, newest first, with their progress and files: {exports, looked, done, cursor, query}. For viewers of the console. For authenticated, service_role. */
  console_exports: {
    args: { p_search?: string | null; p_cursor?: string | null; p_limit?: number | null };
    result: Json;
  };
  /** What this installation has lost, with the SQL that restores it: {looked, findings: [{level, sentence, fix}]}. For viewers of the console. For authenticated, service_role. */
  console_findings: {
    args: Record<string, never>;
    result: Json;
  };
  /** Health checks, alerts, the pump, invocations, breakers, events and sizes of tables. For viewers of the console. For authenticated, service_role. */
  console_health: {
    args: Record<string, never>;
    result: Json;
  };
  /** All about one job: its life, payload and result (masked where its kind is sensitive), why it is not running, logs, audit rows and jobs that belong to it. For viewers of the console. For authenticated, service_role. */
  console_job: {
    args: { p_id: string };
    result: Json;
  };
  /** Jobs that match a search, newest first: {jobs, looked, done, cursor, reached, took_ms, query, notes}. For viewers of the console; see docs/console.md for the search. For authenticated, service_role. */
  console_jobs: {
    args: { p_search?: string | null; p_cursor?: string | null; p_limit?: number | null };
    result: Json;
  };
  /** Every queue with its last hour, the alerts, late schedules and workers. For viewers of the console. For authenticated, service_role. */
  console_overview: {
    args: Record<string, never>;
    result: Json;
  };
  /** Pauses or resumes a queue: claims stop, what runs goes on, enqueueing goes on. For operators of the console. For authenticated, service_role. */
  console_pause: {
    args: { p_queue: string; p_paused: boolean; p_reason: string };
    result: Json;
  };
  /** Pauses or resumes a schedule of users: {name, paused}. For operators of the console. For authenticated, service_role. */
  console_pause_schedule: {
    args: { p_name: string; p_paused: boolean; p_reason: string };
    result: Json;
  };
  /** What a bulk action would do: how many jobs match, counted to a bound, of which kinds, and five of them. For operators of the console. For authenticated, service_role. */
  console_preview: {
    args: { p_action: string; p_search?: string | null; p_group?: string | null };
    result: Json;
  };
  /** The next five times of a cron expression in a time zone: {next, times: [{due, local}]}. For viewers of the console. For authenticated, service_role. */
  console_preview_schedule: {
    args: { p_expression: string; p_timezone?: string | null };
    result: Json;
  };
  /** What has changed since a cursor: queues, minutes, watched jobs, alerts. Asked every two seconds by an open console. For viewers of the console. For authenticated, service_role. */
  console_pulse: {
    args: { p_cursor?: string | null; p_watch?: string[] | null };
    result: Json;
  };
  /** All about one queue: how it stands, its options, who takes turns in it, its provider's limit, its breaker. For viewers of the console. For authenticated, service_role. */
  console_queue: {
    args: { p_queue: string };
    result: Json;
  };
  /** Data types with their freshness, watched symbols, calls per minute beside the limit, the quota with a forecast, and why answers were refused. For viewers of the console. For authenticated, service_role. */
  console_refresh: {
    args: Record<string, never>;
    result: Json;
  };
  /** Lets a bulk action go on from where it was stopped or has failed. For operators of the console. For authenticated, service_role. */
  console_resume_bulk: {
    args: { p_id: string; p_reason: string };
    result: Json;
  };
  /** Resumes a failed workflow from its failed tasks: {id, status}. For operators of the console. For authenticated, service_role. */
  console_resume_workflow: {
    args: { p_id: string; p_reason: string };
    result: Json;
  };
  /** Sends dead letters back to pending and makes waiting jobs due: retried, due, duplicate, unknown_kind or not_dead for each. For operators of the console. For authenticated, service_role. */
  console_retry: {
    args: { p_ids: string[]; p_reason: string };
    result: Json;
  };
  /** The payload, result and logs of a job in clear. For admins of the console; the audit log keeps who, when and why. For authenticated, service_role. */
  console_reveal: {
    args: { p_id: string; p_reason: string };
    result: Json;
  };
  /** Shows the caller the texts and the file of a document for ten minutes: {until}. For admins of the console; the audit log keeps who, when and why. For authenticated, service_role. */
  console_reveal_document: {
    args: { p_id: string; p_reason: string };
    result: Json;
  };
  /** Lets the caller read the PDF of an export for ten minutes: {until, file}. For admins of the console; the audit log keeps who, when and why. For authenticated, service_role. */
  console_reveal_export: {
    args: { p_id: string; p_reason: string };
    result: Json;
  };
  /** Ends the review of a document as confirmed or unusable: {decision, note, by, at}. For operators of the console. For authenticated, service_role. */
  console_review_document: {
    args: { p_id: string; p_decision: string; p_reason: string };
    result: Json;
  };
  /** Runs a schedule now: {name, ran, job}. For operators of the console. For authenticated, service_role. */
  console_run_schedule: {
    args: { p_name: string; p_reason: string };
    result: Json;
  };
  /** Creates a schedule of users, or changes the fields that are given; answers it. For operators of the console. For authenticated, service_role. */
  console_save_schedule: {
    args: { p_schedule: Json; p_reason: string };
    result: Json;
  };
  /** Schedules of users and Gristmill's own, each with its next five times and its last runs. For viewers of the console. For authenticated, service_role. */
  console_schedules: {
    args: Record<string, never>;
    result: Json;
  };
  /** Says whether payloads of a kind are masked; null: as the setting console.payloads says. For admins of the console. For authenticated, service_role. */
  console_set_kind: {
    args: { p_kind: string; p_sensitive: boolean; p_reason: string };
    result: Json;
  };
  /** Changes options of a queue: {changed: {option: [old, new]}, queue}. For admins of the console. For authenticated, service_role. */
  console_set_queue: {
    args: { p_queue: string; p_options: Json; p_reason: string };
    result: Json;
  };
  /** The caller's role in the console, who that is, and which parts, queues and kinds there are. For viewers of the console. For authenticated, service_role. */
  console_start: {
    args: Record<string, never>;
    result: Json;
  };
  /** Stops a bulk action after its current batch; what is done stays done. For operators of the console. For authenticated, service_role. */
  console_stop_bulk: {
    args: { p_id: string; p_reason: string };
    result: Json;
  };
  /** Completes a key or a value of the search of jobs: {field, values: [{value, note}]}. For viewers of the console. For authenticated, service_role. */
  console_suggest: {
    args: { p_field: string; p_prefix?: string | null };
    result: Json;
  };
  /** What profiles have used in a month beside their plans, the last twelve months, and the newest events. For viewers of the console. For authenticated, service_role. */
  console_usage: {
    args: { p_month?: string | null; p_profile?: string | null; p_limit?: number | null };
    result: Json;
  };
  /** Checks the chain of the audit log of the last 31 days: {ok, days, rows, findings, head}. For operators of the console. For authenticated, service_role. */
  console_verify_audit: {
    args: Record<string, never>;
    result: Json;
  };
  /** One workflow: its progress, its steps as a graph, its tasks with their times, its artifacts. For viewers of the console. For authenticated, service_role. */
  console_workflow: {
    args: { p_id: string };
    result: Json;
  };
  /** Workflows that match a search, newest first: {workflows, looked, done, cursor, query}. For viewers of the console. For authenticated, service_role. */
  console_workflows: {
    args: { p_search?: string | null; p_cursor?: string | null; p_limit?: number | null };
    result: Json;
  };
  /** The critical schedules as an array of {name, last_run, is_late}. For service_role. */
  cron_report: {
    args: Record<string, never>;
    result: Json;
  };
  /** The caller's own profile, made at the first call. For authenticated, service_role. */
  default_profile: {
    args: Record<string, never>;
    result: string;
  };
  /** Deletes the file of an export of the caller's, which frees its storage at once; the export as it is then. For authenticated. */
  delete_export_file: {
    args: { p_id: string };
    result: Json;
  };
  /** Deletes dead letters; discarded or not_dead for each. For service_role. */
  discard_jobs: {
    args: { p_ids: string[] };
    result: Json;
  };
  /** Parts of a document: pages, words (with pages), blocks, entities, facts, doubts, narrative. For service_role. */
  document_content: {
    args: { p_id: string; p_parts: string[] };
    result: Json;
  };
  /** What happened to a document after an event: {events, ended}; null when there is no such document. For authenticated, service_role. */
  document_events: {
    args: { p_id: string; p_after?: number | null };
    result: Json;
  };
  /** Place and name of the checked file of a document of the caller's; null for an unknown document and another's alike. For authenticated, service_role. */
  document_file: {
    args: { p_id: string };
    result: Json;
  };
  /** Unfinished uploads and erasures: {uploads: [{id, place}], erasing: [id]}. For service_role. */
  document_leftovers: {
    args: { p_limit?: number | null };
    result: Json;
  };
  /** Where the checked file of a document of the caller's lies, as BUCKET:KEY unless in gristmill; null for an unknown document and another's alike. For authenticated, service_role. */
  document_place: {
    args: { p_id: string };
    result: string;
  };
  /** Path and name of a finished export's file, counted as a download; GM054 once expired, GM055 while there is none. For authenticated. */
  download_export: {
    args: { p_id: string };
    result: Json;
  };
  /** Paths and names of a batch's files, each counted as a download; GM055 while it runs, unless the finished part is enough. For authenticated. */
  download_export_batch: {
    args: { p_id: string; p_partial?: boolean | null };
    result: Json;
  };
  /** A worker says that it ends: it is shown as alive no longer. For service_role. */
  end_worker: {
    args: { p_worker: string };
    result: null;
  };
  /** Enqueues one job of an allowed type; answers its id. For service_role. */
  enqueue_job_v3: {
    args: { job_type: string; job_name: string; job_payload: Json; job_category?: string | null; priority?: number | null; scheduled_at?: string | null };
    result: string;
  };
  /** Enqueues many jobs; new, duplicate or throttled for each. For service_role. */
  enqueue_jobs: {
    args: { p_jobs: Json };
    result: Json;
  };
  /** Enqueues a job of one kind for each payload; answers their ids, null for one that was throttled. For service_role. */
  enqueue_many: {
    args: { p_kind: string; p_payloads: Json };
    result: Json;
  };
  /** Why a job is not running: {id, queue, kind, state, sentence, reasons}. The service learns every reason, the owner only where the job stands; null for an unknown job and for another's. For authenticated, service_role. */
  explain_job: {
    args: { p_id: string };
    result: Json;
  };
  /** Events of all exports of a batch of the caller's after one, or null. For authenticated. */
  export_batch_events: {
    args: { p_id: string; p_after?: number | null };
    result: Json;
  };
  /** Events of an export of the caller's after one: {events: [{id, event, data}], ended}, or null. For authenticated. */
  export_events: {
    args: { p_id: string; p_after?: number | null };
    result: Json;
  };
  /** Returns the job of a stage to its queue and notes why with its document; false when the lease is lost. For service_role. */
  fail_document_stage: {
    args: { p_job: string; p_worker: string; p_attempt: number; p_outcome: Json };
    result: boolean;
  };
  /** Fails an attempt of a job that the worker holds; it is retried or dead-lettered. False when the lease is lost. For service_role. */
  fail_job: {
    args: { p_job_id: string; p_worker_id: string; p_error_message: string; p_error_details?: Json | null };
    result: boolean;
  };
  /** Fails an attempt of a refresh that get_queue_batch gave out; three retries follow. Nothing happens when no such lease runs. For service_role. */
  fail_queue_job: {
    args: { p_job_id: string; p_error_message: string };
    result: null;
  };
  /** Fails an attempt of a task that the worker holds: tried again after a delay, or given up. False when the lease is lost. For service_role. */
  fail_task: {
    args: { p_task_id: string; p_worker_id: string; p_error: string };
    result: boolean;
  };
  /** Leases the next export, of one user when one is named, within the caps. For service_role. */
  fetch_next_export_job: {
    args: { p_user_id?: string | null };
    result: { id: string | null; user_id: string | null; document_id: string | null; format: string | null; options: Json; status: string | null; progress: number | null; attempts: number | null; max_attempts: number | null; run_after: string | null; result_url: string | null; file_size: number | null; page_count: number | null; error_message: string | null; locked_by: string | null; started_at: string | null; completed_at: string | null; created_at: string | null }[];
  };
  /** Writes what a stage found, moves the document on and completes the job; false when the lease is lost, and then nothing has changed. A repeated call answers true. For service_role. */
  finish_document_stage: {
    args: { p_job: string; p_worker: string; p_attempt: number; p_result: Json; p_outcome?: Json | null };
    result: boolean;
  };
  /** Ends an upload: {id, status, is_new, is_other, over}. Unless is_new, the caller removes what it stored; is_other: the key belongs to another file; over: the meters of the plan that forbid it. For authenticated, service_role. */
  finish_document_upload: {
    args: { p_id: string; p_place: string; p_size: number; p_sha256: string };
    result: Json;
  };
  /** Its objects are gone: the row of an erasing document goes too. For authenticated, service_role. */
  finish_erase_document: {
    args: { p_id: string };
    result: boolean;
  };
  /** Completes an export whose file is stored; false when the export was cancelled or lost, and then nothing has changed. A repeated call answers true. The note is what its owner should know of the PDF. For service_role. */
  finish_export: {
    args: { p_job: string; p_worker: string; p_attempt: number; p_path: string; p_name: string; p_pages: number; p_note?: string | null };
    result: boolean;
  };
  /** An object of another bucket than gristmill is gone. For the storage stand-in. For service_role. */
  forget_object: {
    args: { p_object: string };
    result: boolean;
  };
  /** What changed, after an event's id, of what the caller watches. For authenticated. */
  get_data_changes: {
    args: { p_after?: number | null };
    result: Json;
  };
  /** A document of the caller's with all that was found in it, or null. For authenticated, service_role. */
  get_document: {
    args: { p_id: string };
    result: Json;
  };
  /** One export of the caller's, or null. For authenticated. */
  get_export: {
    args: { p_id: string };
    result: Json;
  };
  /** One batch of the caller's with its exports, or null. For authenticated. */
  get_export_batch: {
    args: { p_id: string };
    result: Json;
  };
  /** One job of the caller's (any, for the service), or null. For authenticated, service_role. */
  get_job: {
    args: { p_id: string };
    result: Json;
  };
  /** The lines of the log of one job of the caller's (any, for the service) after line p_after, in order. For authenticated, service_role. */
  get_job_logs: {
    args: { p_id: string; p_after?: number | null };
    result: Json;
  };
  /** Leases due refreshes for five minutes, as an array of {id, symbol, data_type, edge_function, edge_function_name, priority, estimated_size}, highest priority first. For service_role. */
  get_queue_batch: {
    args: { batch_size?: number | null };
    result: Json;
  };
  /** What a profile has used this month: {current_period, usage, status}, and the keys of mill.usage_status; a limit of null is unlimited. {tracking_disabled: true} while nothing is counted. For authenticated, service_role. */
  get_user_usage_status: {
    args: { p_profile_id: string };
    result: Json;
  };
  /** One job of the caller's (any, for the service) with its steps, its first tasks and its artifacts, or null. For authenticated, service_role. */
  get_workflow: {
    args: { p_id: string; p_max_tasks?: number | null };
    result: Json;
  };
  /** Whether a user owns a profile or was let in. For a signed-in caller only about itself. For authenticated, service_role. */
  has_profile_access: {
    args: { p_user_id: string; p_profile_id: string };
    result: boolean;
  };
  /** Every health check with what is not well, in words, and notes on what nobody serves; no content, no whole-table counts. For service_role. */
  health_report: {
    args: Record<string, never>;
    result: Json;
  };
  /** Extends leases [{id, attempt, progress, logs}]; held, lost or cancelled for each. For service_role. */
  heartbeat_jobs: {
    args: { p_worker: string; p_leases: Json };
    result: Json;
  };
  /** Extends the worker's lease on a task; false when it is lost or the task was cancelled, and the worker must stop. For service_role. */
  heartbeat_task: {
    args: { p_task_id: string; p_worker_id: string; p_progress?: number | null };
    result: boolean;
  };
  /** Asks for one invocation of the processor when refreshes are due and its breaker allows it. For service_role. */
  invoke_processor_if_healthy: {
    args: Record<string, never>;
    result: null;
  };
  /** One round of the pump: reclaims, promotes and invokes. Does nothing while another call is at it. For service_role. */
  invoke_processor_loop: {
    args: Record<string, never>;
    result: null;
  };
  /** Whether data fetched then is older than its time to live; missing data is stale. A time to live of zero or less raises. For authenticated, service_role. */
  is_data_stale: {
    args: { p_fetched_at: string; p_ttl_minutes: number };
    result: boolean;
  };
  /** is_data_stale under its compatible name for company profiles. For authenticated, service_role. */
  is_profile_stale: {
    args: { p_modified_at: string; p_ttl_minutes: number };
    result: boolean;
  };
  /** Whether the next batch would pass the data quota. Null and the compatible defaults (20 GB of 2^30 bytes, 30 days, 0.95) stand for the settings. For service_role. */
  is_quota_exceeded: {
    args: { p_quota_gb?: number | null; p_rolling_days?: number | null; p_safety_buffer?: number | null };
    result: boolean;
  };
  /** Whether the caller's token carries the service role. For anon, authenticated, service_role. */
  is_service_role: {
    args: Record<string, never>;
    result: boolean;
  };
  /** Whether a name may stand for a table, column or function in the registry. For authenticated, service_role. */
  is_valid_identifier: {
    args: { p_identifier: string };
    result: boolean;
  };
  /** A ticket for a stream of the caller's: {ticket, expires_at}, or null where there is nothing to read. Raises GM090 for what has no tickets. For authenticated. */
  issue_ticket: {
    args: { p_function: string; p_arguments?: Json | null };
    result: Json;
  };
  /** The steps of a job in their order: what was done, with the results, and what it sleeps or waits for. For service_role. */
  job_steps: {
    args: { p_job: string };
    result: Json;
  };
  /** The limit that a call of a model draws on: {provider_name, api_endpoint, is_of_queue}. is_of_queue: a claim from that queue has reserved one call of it. GM020 when there is none. For service_role. */
  limit_of_call: {
    args: { p_provider_name: string; p_model: string; p_queue?: string | null };
    result: Json;
  };
  /** The caller's documents, newest first, without their content. For authenticated, service_role. */
  list_documents: {
    args: { p_profile_id?: string | null; p_before?: string | null; p_limit?: number | null };
    result: Json;
  };
  /** The caller's exports, newest first. For authenticated. */
  list_exports: {
    args: { p_limit?: number | null; p_before?: string | null };
    result: Json;
  };
  /** All schedules, or one: definition, next due time, last run. For service_role. */
  list_schedules: {
    args: { p_schedule?: string | null };
    result: Json;
  };
  /** The caller's jobs (all, for the service), newest first; p_before is the last id of the page before. For authenticated, service_role. */
  list_workflows: {
    args: { p_limit?: number | null; p_before?: string | null };
    result: Json;
  };
  /** Appends an event to the audit log, in the caller's transaction; answers its id. For service_role. */
  log_audit_event: {
    args: { p_table_name: string; p_record_id: string; p_action: string; p_old_values?: Json | null; p_new_values?: Json | null; p_reason?: string | null; p_source?: string | null; p_patient_id?: string | null; p_job_id?: string | null; p_correlation_id?: string | null };
    result: number;
  };
  /** Prepares and drops day partitions; waits one second for a lock, then leaves it for the next time. For service_role. */
  maintain_queue_partitions: {
    args: Record<string, never>;
    result: null;
  };
  /** What /metrics shows: numbers under names of queues, targets, schedules and rules, no content. For service_role. */
  metrics_report: {
    args: Record<string, never>;
    result: Json;
  };
  /** An object of another bucket than gristmill is stored: BUCKET:KEY. False when an application refuses to have it replaced. For the storage stand-in. For service_role. */
  note_object: {
    args: { p_object: string; p_size: number; p_content_type: string };
    result: boolean;
  };
  /** Which of these objects belong to no document. For service_role. */
  orphaned_objects: {
    args: { p_places: string[] };
    result: Json;
  };
  /** Stops claims and invocations of a queue, or lets them go on; says whether it is paused now. For service_role. */
  pause_queue: {
    args: { p_queue: string; p_paused?: boolean | null };
    result: boolean;
  };
  /** Stops a schedule, or lets it go on with its next due time; says whether it is paused now. For service_role. */
  pause_schedule: {
    args: { p_schedule: string; p_paused?: boolean | null };
    result: boolean;
  };
  /** The next due times of a schedule, or of a definition that is not saved, as [{due, local}]. For service_role. */
  preview_schedule: {
    args: { p_schedule: Json; p_count?: number | null };
    result: Json;
  };
  /** Queues one refresh unless it is queued already or the quota is used up. For service_role. */
  queue_refresh_if_not_exists: {
    args: { p_symbol: string; p_data_type: string; p_priority?: number | null; p_estimated_size?: number | null };
    result: null;
  };
  /** Queues the next stretch of every scheduled type that is due. Does nothing while another run is at it. For service_role. */
  queue_scheduled_refreshes: {
    args: Record<string, never>;
    result: null;
  };
  /** Depth, age, throughput, durations, backlog in seconds of work and the workers that would clear it, for each queue. For service_role. */
  queue_stats: {
    args: Record<string, never>;
    result: Json;
  };
  /** What a function of mill.ticket_call answers to the user of the ticket. Raises GM090 for a ticket that is forged, expired or for something else. For anon, authenticated, service_role. */
  read_with_ticket: {
    args: { p_ticket: string; p_function: string; p_arguments?: Json | null };
    result: Json;
  };
  /** Takes back expired leases, of tasks and of other jobs; says how many. The pump does so every few seconds. For service_role. */
  reclaim_stale_tasks: {
    args: Record<string, never>;
    result: number;
  };
  /** Keeps the result of a step of a job: recorded, known (with the result that was kept first) or lost. For service_role. */
  record_step: {
    args: { p_job: string; p_worker: string; p_attempt: number; p_step: string; p_result?: Json | null };
    result: Json;
  };
  /** Takes back refreshes that run for longer than the minutes, and every expired lease. For service_role. */
  recover_stuck_jobs: {
    args: { timeout_minutes?: number | null; max_retries?: number | null };
    result: null;
  };
  /** Ends an unfinished upload by the size of its object, null where there is none: registered; waiting, to be looked at again; forgotten, and then the object, if any, is to be removed. For service_role. */
  recover_upload: {
    args: { p_place: string; p_size: number };
    result: string;
  };
  /** Counts watchers by symbol and type; {counted} or {skipped}. For service_role. */
  refresh_analytics_from_presence_v2: {
    args: Record<string, never>;
    result: Json;
  };
  /** Ends a document as refused or infected, and its job with it; false when the lease is lost, and then nothing has changed. A repeated call answers true. For service_role. */
  refuse_document: {
    args: { p_job: string; p_worker: string; p_attempt: number; p_status: string; p_error: Json; p_place: string; p_measured?: Json | null; p_outcome?: Json | null };
    result: boolean;
  };
  /** Creates and updates queues, kinds and schedules from {queues, kinds, schedules}; says what became of each, which options were kept as an operator has changed them, and which functions have never answered. For service_role. */
  register_jobs: {
    args: { p_definition: Json; p_force?: boolean | null };
    result: Json;
  };
  /** Makes a document of a file that the caller has stored in medical-docs: {id, status}. A repeat answers the same document. For authenticated. */
  register_stored_file: {
    args: { p_storage_path: string; p_filename?: string | null; p_mime_type?: string | null; p_size?: number | null; p_idempotency_key?: string | null; p_profile_id?: string | null };
    result: Json;
  };
  /** Writes the definition of a type of workflow, where it has changed: {type, version, status}. For service_role. */
  register_workflow: {
    args: { p_definition: Json };
    result: Json;
  };
  /** Gives back a call that acquire_api_capacity reserved and settles its actual tokens; without them the estimate stands. For service_role. */
  release_api_capacity: {
    args: { p_provider_name: string; p_api_endpoint: string; p_estimated_tokens?: number | null; p_actual_tokens?: number | null };
    result: null;
  };
  /** Removes schedules with what is known about their runs; the jobs stay. Answers the names of those that were there. For service_role. */
  remove_schedules: {
    args: { p_schedules: string[] };
    result: Json;
  };
  /** A provider said 429: nobody is let through for its Retry-After, or for the limit's own delay. Answers until when. For service_role. */
  report_api_rate_limit: {
    args: { p_provider_name: string; p_api_endpoint: string; p_retry_after_seconds?: number | null };
    result: string;
  };
  /** How far an export is; false tells the worker to stop. For service_role. */
  report_export: {
    args: { p_job: string; p_worker: string; p_attempt: number; p_progress: number; p_message: string };
    result: boolean;
  };
  /** Starts a finished or failed document over. For authenticated, service_role. */
  reprocess_document: {
    args: { p_id: string };
    result: Json;
  };
  /** Asks for a PDF of one of the caller's documents; answers the export. For authenticated. */
  request_export: {
    args: { p_document_id: string; p_template?: string | null; p_options?: Json | null; p_correlation_id?: string | null };
    result: Json;
  };
  /** Asks for PDFs of up to ten of the caller's documents, all or none; answers the batch. For authenticated. */
  request_export_batch: {
    args: { p_document_ids: string[]; p_template?: string | null; p_options?: Json | null; p_correlation_id?: string | null };
    result: Json;
  };
  /** Puts a running job off without consuming an attempt, with jitter of at most half of the delay and 30 s; false when no compat claim holds it. For service_role. */
  reschedule_job: {
    args: { p_job_id: string; p_delay_seconds: number; p_reason: string; p_add_jitter?: boolean | null };
    result: boolean;
  };
  /** Reserves one call of a provider with its estimated tokens: {granted, lease_id, …} or {granted: false, reason, retry_after_seconds}. For service_role. */
  reserve_api_capacity: {
    args: { p_provider_name: string; p_api_endpoint: string; p_estimated_tokens?: number | null };
    result: Json;
  };
  /** Where a worker is to store its file, with room for it taken; null when it holds the export no more, GM051 without room. For service_role. */
  reserve_export_file: {
    args: { p_job: string; p_worker: string; p_attempt: number; p_size: number; p_bucket?: string | null };
    result: string;
  };
  /** Gives a refresh that get_queue_batch gave out back at once, without consuming its attempt: for deadlocks. Nothing happens when no such lease runs. For service_role. */
  reset_job_immediate: {
    args: { p_job_id: string };
    result: null;
  };
  /** Sends dead letters back to pending; retried, duplicate, unknown_kind or not_dead for each. For service_role. */
  retry_jobs: {
    args: { p_ids: string[] };
    result: Json;
  };
  /** Resumes a failed job of the caller's from its failed tasks, keeping what is done. Raises GM067 when there is nothing to resume. For authenticated, service_role. */
  retry_workflow: {
    args: { p_id: string };
    result: Json;
  };
  /** Ends the review of a document as confirmed or unusable, and completes it: {decision, note, by, at}. For the owner of its profile. For authenticated, service_role. */
  review_document: {
    args: { p_id: string; p_decision: string; p_note?: string | null };
    result: Json;
  };
  /** Runs a piece of a cleanup step; answers its report, with more when there is more and remove where objects must go first. For service_role. */
  run_cleanup_step: {
    args: { p_step: string };
    result: Json;
  };
  /** Enqueues a job of a schedule at once, beside its due times; answers {id, status}. For service_role. */
  run_schedule_now: {
    args: { p_schedule: string };
    result: Json;
  };
  /** Runs what a cron trigger stands for; says for each schedule whether it succeeded. For service_role. */
  run_schedules: {
    args: { p_trigger_of: string; p_schedule: string };
    result: Json;
  };
  /** Keeps a page, as mill.write_page has it; false when the lease is lost. For service_role. */
  save_document_page: {
    args: { p_job: string; p_worker: string; p_attempt: number; p_page: Json };
    result: boolean;
  };
  /** Creates a schedule, or changes those of its fields that are given; answers it as list_schedules does. For service_role. */
  save_schedule: {
    args: { p_schedule: Json };
    result: Json;
  };
  /** What became of the last due times of a schedule, newest first, with the state of their jobs. For service_role. */
  schedule_runs: {
    args: { p_schedule: string; p_max?: number | null };
    result: Json;
  };
  /** Sends an event to a job: delivered, kept, duplicate or not_live. For service_role. */
  send_event: {
    args: { p_job: string; p_event: string; p_payload?: Json | null; p_key?: string | null };
    result: Json;
  };
  /** The language of a profile's documents in tesseract's names, deu or deu+eng; null for the one of the installation. For the profile's owner. For authenticated, service_role. */
  set_document_language: {
    args: { p_profile_id: string; p_language: string };
    result: null;
  };
  /** Stops users' writes, or lets them go on; says whether they are stopped now. For service_role. */
  set_maintenance: {
    args: { p_enabled: boolean; p_reason?: string | null; p_retry_after_seconds?: number | null };
    result: boolean;
  };
  /** Settles a batch of outcomes and leases due jobs to the same worker, as {settled: [{id, status}], jobs: [job]}. For service_role. */
  settle_and_claim: {
    args: { p_worker: string; p_outcomes: Json; p_queues: string[]; p_max: number; p_kinds?: string[] | null; p_leave_external?: boolean | null };
    result: Json;
  };
  /** Gives back what reserve_api_capacity granted and settles the actual tokens; false when there was nothing to give back. For service_role. */
  settle_api_capacity: {
    args: { p_lease_id: string; p_actual_tokens?: number | null };
    result: boolean;
  };
  /** Settles a batch of outcomes, as an array of {id, status}. For service_role. */
  settle_jobs: {
    args: { p_worker: string; p_outcomes: Json; p_invocation?: string | null };
    result: Json;
  };
  /** Writes what a batch fetched and settles it, as an array of {id, status}. For service_role. */
  settle_refresh: {
    args: { p_worker: string; p_outcomes: Json; p_invocation?: string | null; p_pauses?: Json | null };
    result: Json;
  };
  /** Puts a job off until a time: suspended, done once the time has come, or lost. For service_role. */
  sleep_step: {
    args: { p_job: string; p_worker: string; p_attempt: number; p_step: string; p_seconds?: number | null; p_until?: string | null; p_logs?: Json | null };
    result: Json;
  };
  /** Starts a job of a workflow type; answers {id, status, new}. new is false when the idempotency key has started it before. For authenticated, service_role. */
  start_workflow: {
    args: { p_type: string; p_params?: Json | null; p_priority?: number | null; p_idempotency_key?: string | null; p_user_id?: string | null; p_correlation_id?: string | null };
    result: Json;
  };
  /** The buckets that there are. The storage stand-in asks. For service_role. */
  storage_buckets: {
    args: Record<string, never>;
    result: string[];
  };
  /** Enqueues one job for the caller; answers {id, status} with status new or duplicate. For authenticated, service_role. */
  submit_job: {
    args: { p_kind: string; p_payload: Json; p_name?: string | null; p_priority?: number | null; p_run_at?: string | null; p_dedupe_key?: string | null; p_group_key?: string | null; p_owner?: string | null; p_correlation_id?: string | null; p_traceparent?: string | null };
    result: Json;
  };
  /** One round of the pump: reclaim, promote, invoke. For service_role. */
  tick: {
    args: Record<string, never>;
    result: Json;
  };
  /** Counts a job's model calls, once per job: {ai_tokens_used, ai_tokens_limit, ai_processing_jobs, over_limit}; a limit of null is unlimited. {tracking_disabled: true} while nothing is counted. For service_role. */
  track_ai_processing_usage: {
    args: { p_profile_id: string; p_job_id: string; p_tokens_used: number; p_processing_seconds?: number | null };
    result: Json;
  };
  /** Counts a processed file, once, and corrects its pages. For service_role. */
  track_shell_file_processed_usage: {
    args: { p_profile_id: string; p_shell_file_id: string; p_actual_pages: number };
    result: Json;
  };
  /** Counts a file of the service's own, once, and answers what the profile has used: {shell_files_used, shell_files_limit, pages_used, pages_limit, storage_used_mb, storage_limit_mb, over_limit, upgrade_required, plan_type}. Past the plan while billing is on nothing is counted. A user's call counts nothing. {tracking_disabled: true} while nothing is counted. For authenticated, service_role. */
  track_shell_file_upload_usage: {
    args: { p_profile_id: string; p_shell_file_id: string; p_file_size_bytes: number; p_estimated_pages?: number | null };
    result: Json;
  };
  /** Extends the worker's lease on a job; false when it is lost or the job was cancelled, and the worker must stop. For service_role. */
  update_job_heartbeat: {
    args: { p_job_id: string; p_worker_id: string; heartbeat_interval_seconds?: number | null };
    result: boolean;
  };
  /** The caller watches a symbol's data, still or from now on. GM036: no such symbol or type; GM038: too many. For authenticated, service_role. */
  upsert_active_subscription_v2: {
    args: { p_user_id?: string | null; p_symbol?: string | null; p_data_type?: string | null };
    result: Json;
  };
  /** Checks the audit log from one day to another: {ok, days, rows, findings: [{day, seq, audit_id, problem}], head}. For service_role. */
  verify_audit_log: {
    args: { p_from?: string | null; p_to?: string | null; p_known_head?: string | null };
    result: Json;
  };
  /** Gives a job an event, or puts the job off until it is sent: received, timed_out, suspended or lost. For service_role. */
  wait_for_event: {
    args: { p_job: string; p_worker: string; p_attempt: number; p_step: string; p_event: string; p_seconds?: number | null; p_logs?: Json | null };
    result: Json;
  };
  /** The queues that a container worker claims from, as an array. For service_role. */
  worker_queues: {
    args: Record<string, never>;
    result: Json;
  };
  /** Events of one job of the caller's (any, for the service) after a given one, or null. For authenticated, service_role. */
  workflow_events: {
    args: { p_id: string; p_after: number };
    result: Json;
  };
  /** Status and progress of one job of the caller's (any, for the service), or null. For authenticated, service_role. */
  workflow_progress: {
    args: { p_id: string };
    result: Json;
  };
}

/** The name of a function. */
export type RpcName = keyof Rpcs;
/** What a function is given. */
export type RpcArguments<N extends RpcName> = Rpcs[N]["args"];
/** What a function answers. */
export type RpcAnswer<N extends RpcName> = Rpcs[N]["result"];
