// The functions that can be called as RPCs, with their arguments and answers. Made by scripts/schema from a full installation
// (gristmill migrate --with all): change the SQL, not this file.

/** Any value that JSON has. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined };

export interface Rpcs {
  /** Takes back an upload; true when nothing names its place any more, so that the caller may remove what is stored there. For authenticated, service_role. */
  abandon_document_upload: {
    arguments: { p_id: string; p_place: string };
    answer: boolean;
  };
  /** The profiles that the caller owns or was let into. For authenticated, service_role. */
  accessible_profiles: {
    arguments: Record<string, never>;
    answer: string[];
  };
  /** Whether a provider may be called now; true reserves the call and its estimated tokens. GM020 without an active limit. For service_role. */
  acquire_api_capacity: {
    arguments: { p_provider_name: string; p_api_endpoint: string; p_estimated_tokens?: number | null };
    answer: boolean;
  };
  /** What a stage works on: {outcome: work, …}, or why the job has no work, as mill.judge_stage says it; null when the lease is lost. For service_role. */
  begin_document_stage: {
    arguments: { p_job: string; p_worker: string; p_attempt: number };
    answer: Json;
  };
  /** Registers an upload: {id, place, is_stored, sha256}, where is_stored says that an earlier upload with this key has ended; or {over}, the meters of the plan that forbid it. For authenticated. */
  begin_document_upload: {
    arguments: { p_mime_type: string; p_filename?: string | null; p_idempotency_key?: string | null; p_profile_id?: string | null };
    answer: Json;
  };
  /** Erases what was read out of a document and marks it erasing; answers the places of its objects. For authenticated, service_role. */
  begin_erase_document: {
    arguments: { p_id: string };
    answer: Json;
  };
  /** What a worker is to set, or null when it holds the export no more. For service_role. */
  begin_export: {
    arguments: { p_job: string; p_worker: string; p_attempt: number };
    answer: Json;
  };
  /** Calls a function that creates something, once per idempotency key of the caller in 24 hours: {answer, replayed}. Raises GM080 when the key was used for another request, GM081 while the first call is running, GM082 past the user's number of keys. For authenticated, service_role. */
  call_once: {
    arguments: { p_key: string; p_function: string; p_arguments?: Json | null; p_request?: string | null };
    answer: Json;
  };
  /** Whether the caller may read an object, or list below a prefix that ends in "/". For authenticated, service_role. */
  can_access_object: {
    arguments: { p_key: string };
    answer: boolean;
  };
  /** Whether the caller may remove this object. For authenticated, service_role. */
  can_remove_object: {
    arguments: { p_key: string };
    answer: boolean;
  };
  /** Whether the caller may store an object at this place. For authenticated, service_role. */
  can_write_object: {
    arguments: { p_key: string };
    answer: boolean;
  };
  /** Cancels an export of the caller's; GM053 once it has ended. For authenticated. */
  cancel_export: {
    arguments: { p_id: string };
    answer: Json;
  };
  /** Cancels jobs; cancelled, requested or not_live for each. For service_role. */
  cancel_jobs: {
    arguments: { p_ids: string[] };
    answer: Json;
  };
  /** Cancels a job of the caller's: {id, status, cancelled, running}. Raises GM067 when it has ended already. For authenticated, service_role. */
  cancel_workflow: {
    arguments: { p_id: string };
    answer: Json;
  };
  /** Puts a profile on a plan, with its event and its line in the audit log. For service_role. */
  change_plan: {
    arguments: { p_profile_id: string; p_plan: string; p_reason?: string | null };
    answer: string;
  };
  /** Queues what is missing or stale of a symbol. A user reaches what the user watches, with at most the number of its viewers as priority. For authenticated, service_role. */
  check_and_queue_stale_batch: {
    arguments: { p_symbol: string; p_data_types: string[]; p_priority?: number | null };
    answer: null;
  };
  /** Queues what is stale of what is in the list of subscriptions or, without a list, of what is watched. Does nothing while another run is at it. For service_role. */
  check_and_queue_stale_data_from_presence: {
    arguments: { presence_subscriptions?: Json | null };
    answer: null;
  };
  /** check_and_queue_stale_data_from_presence under its second name. For service_role. */
  check_and_queue_stale_data_from_presence_v2: {
    arguments: { presence_subscriptions?: Json | null };
    answer: null;
  };
  /** When each of the named cron jobs, or each critical one, last succeeded; null for one that never did and for one that does not exist. For service_role. */
  check_cron_job_health: {
    arguments: { p_critical_jobs?: string[] | null; critical_jobs?: string[] | null };
    answer: { jobname: string | null; last_run: string | null }[];
  };
  /** Leases due jobs to a worker, as an array. For service_role. */
  claim_jobs: {
    arguments: { p_worker: string; p_queues: string[]; p_max: number; p_kinds?: string[] | null; p_invocation?: string | null; p_leave_external?: boolean | null };
    answer: Json;
  };
  /** Leases the next due job of the types, or of any, to a worker; no row when there is none. For service_role. */
  claim_next_job_v3: {
    arguments: { worker_id: string; job_types?: string[] | null; heartbeat_interval_seconds?: number | null };
    answer: { job_id: string | null; job_type: string | null; job_payload: Json; retry_count: number | null }[];
  };
  /** Leases up to 50 refreshes to a processor, with the registry rows they need. For service_role. */
  claim_refresh: {
    arguments: { p_worker: string; p_queue?: string | null; p_max?: number | null; p_invocation?: string | null };
    answer: Json;
  };
  /** Leases due tasks of the types to a worker; of all types that workflows use when none is named. job_id is null for a job of the type that belongs to no workflow. For service_role. */
  claim_tasks: {
    arguments: { p_worker_id: string; p_max_tasks?: number | null; p_task_types?: string[] | null };
    answer: { id: string | null; job_id: string | null; task_type: string | null; sequence: number | null; status: string | null; input: Json; output: Json; worker_id: string | null; claimed_at: string | null; heartbeat_at: string | null; attempts: number | null; max_attempts: number | null; error: string | null; key: string | null; item: number | null; phase: string | null; progress: number | null; error_details: Json; finished_at: string | null }[];
  };
  /** The names of the cleanup's steps, in their order. For service_role. */
  cleanup_steps: {
    arguments: Record<string, never>;
    answer: Json;
  };
  /** Completes a job that the worker holds; false when the lease is lost, and then nothing has changed. For service_role. */
  complete_job: {
    arguments: { p_job_id: string; p_worker_id: string; p_job_result?: Json | null };
    answer: boolean;
  };
  /** Completes a refresh that get_queue_batch gave out and counts its bytes. Nothing happens when no such lease runs. For service_role. */
  complete_queue_job: {
    arguments: { p_job_id: string; p_data_size_bytes: number };
    answer: null;
  };
  /** Completes a task that the worker holds and starts what waited for it; false when the lease is lost, and then nothing has changed. For service_role. */
  complete_task: {
    arguments: { p_task_id: string; p_worker_id: string; p_output: Json };
    answer: boolean;
  };
  /** These objects are gone: the step may forget their rows. For service_role. */
  confirm_cleanup_step: {
    arguments: { p_step: string; p_keys: string[] };
    answer: Json;
  };
  /** The critical schedules as an array of {name, last_run, is_late}. For service_role. */
  cron_report: {
    arguments: Record<string, never>;
    answer: Json;
  };
  /** The caller's own profile, made at the first call. For authenticated, service_role. */
  default_profile: {
    arguments: Record<string, never>;
    answer: string;
  };
  /** Deletes dead letters; discarded or not_dead for each. For service_role. */
  discard_jobs: {
    arguments: { p_ids: string[] };
    answer: Json;
  };
  /** Parts of a document: pages, words (with pages), blocks, entities, facts, narrative. For service_role. */
  document_content: {
    arguments: { p_id: string; p_parts: string[] };
    answer: Json;
  };
  /** What happened to a document after an event: {events, ended}; null when there is no such document. For authenticated, service_role. */
  document_events: {
    arguments: { p_id: string; p_after?: number | null };
    answer: Json;
  };
  /** Place and name of the checked file of a document of the caller's; null for an unknown document and another's alike. For authenticated, service_role. */
  document_file: {
    arguments: { p_id: string };
    answer: Json;
  };
  /** Unfinished uploads and erasures: {uploads: [{id, place}], erasing: [id]}. For service_role. */
  document_leftovers: {
    arguments: { p_limit?: number | null };
    answer: Json;
  };
  /** Where the checked file of a document of the caller's lies, as BUCKET:KEY unless in gristmill; null for an unknown document and another's alike. For authenticated, service_role. */
  document_place: {
    arguments: { p_id: string };
    answer: string;
  };
  /** Path and name of a finished export's file, counted as a download; GM054 once expired, GM055 while there is none. For authenticated. */
  download_export: {
    arguments: { p_id: string };
    answer: Json;
  };
  /** Paths and names of a batch's files, each counted as a download; GM055 while it runs, unless the finished part is enough. For authenticated. */
  download_export_batch: {
    arguments: { p_id: string; p_partial?: boolean | null };
    answer: Json;
  };
  /** Enqueues one job of an allowed type; answers its id. For service_role. */
  enqueue_job_v3: {
    arguments: { job_type: string; job_name: string; job_payload: Json; job_category?: string | null; priority?: number | null; scheduled_at?: string | null };
    answer: string;
  };
  /** Enqueues many jobs; new, duplicate or throttled for each. For service_role. */
  enqueue_jobs: {
    arguments: { p_jobs: Json };
    answer: Json;
  };
  /** Enqueues a job of one kind for each payload; answers their ids, null for one that was throttled. For service_role. */
  enqueue_many: {
    arguments: { p_kind: string; p_payloads: Json };
    answer: Json;
  };
  /** Events of all exports of a batch of the caller's after one, or null. For authenticated. */
  export_batch_events: {
    arguments: { p_id: string; p_after?: number | null };
    answer: Json;
  };
  /** Events of an export of the caller's after one: {events: [{id, event, data}], ended}, or null. For authenticated. */
  export_events: {
    arguments: { p_id: string; p_after?: number | null };
    answer: Json;
  };
  /** Returns the job of a stage to its queue and notes why with its document; false when the lease is lost. For service_role. */
  fail_document_stage: {
    arguments: { p_job: string; p_worker: string; p_attempt: number; p_outcome: Json };
    answer: boolean;
  };
  /** Fails an attempt of a job that the worker holds; it is retried or dead-lettered. False when the lease is lost. For service_role. */
  fail_job: {
    arguments: { p_job_id: string; p_worker_id: string; p_error_message: string; p_error_details?: Json | null };
    answer: boolean;
  };
  /** Fails an attempt of a refresh that get_queue_batch gave out; three retries follow. Nothing happens when no such lease runs. For service_role. */
  fail_queue_job: {
    arguments: { p_job_id: string; p_error_message: string };
    answer: null;
  };
  /** Fails an attempt of a task that the worker holds: tried again after a delay, or given up. False when the lease is lost. For service_role. */
  fail_task: {
    arguments: { p_task_id: string; p_worker_id: string; p_error: string };
    answer: boolean;
  };
  /** Leases the next export, of one user when one is named, within the caps. For service_role. */
  fetch_next_export_job: {
    arguments: { p_user_id?: string | null };
    answer: { id: string | null; user_id: string | null; document_id: string | null; format: string | null; options: Json; status: string | null; progress: number | null; attempts: number | null; max_attempts: number | null; run_after: string | null; result_url: string | null; file_size: number | null; page_count: number | null; error_message: string | null; locked_by: string | null; started_at: string | null; completed_at: string | null; created_at: string | null }[];
  };
  /** Writes what a stage found, moves the document on and completes the job; false when the lease is lost, and then nothing has changed. A repeated call answers true. For service_role. */
  finish_document_stage: {
    arguments: { p_job: string; p_worker: string; p_attempt: number; p_result: Json; p_outcome?: Json | null };
    answer: boolean;
  };
  /** Ends an upload: {id, status, is_new, is_other, over}. Unless is_new, the caller removes what it stored; is_other: the key belongs to another file; over: the meters of the plan that forbid it. For authenticated, service_role. */
  finish_document_upload: {
    arguments: { p_id: string; p_place: string; p_size: number; p_sha256: string };
    answer: Json;
  };
  /** Its objects are gone: the row of an erasing document goes too. For authenticated, service_role. */
  finish_erase_document: {
    arguments: { p_id: string };
    answer: boolean;
  };
  /** Completes an export whose file is stored; false when the export was cancelled or lost, and then nothing has changed. A repeated call answers true. For service_role. */
  finish_export: {
    arguments: { p_job: string; p_worker: string; p_attempt: number; p_path: string; p_name: string; p_pages: number };
    answer: boolean;
  };
  /** An object of another bucket than gristmill is gone. For the storage stand-in. For service_role. */
  forget_object: {
    arguments: { p_object: string };
    answer: boolean;
  };
  /** What changed, after an event's id, of what the caller watches. For authenticated. */
  get_data_changes: {
    arguments: { p_after?: number | null };
    answer: Json;
  };
  /** A document of the caller's with all that was found in it, or null. For authenticated, service_role. */
  get_document: {
    arguments: { p_id: string };
    answer: Json;
  };
  /** One export of the caller's, or null. For authenticated. */
  get_export: {
    arguments: { p_id: string };
    answer: Json;
  };
  /** One batch of the caller's with its exports, or null. For authenticated. */
  get_export_batch: {
    arguments: { p_id: string };
    answer: Json;
  };
  /** One job of the caller's (any, for the service), or null. For authenticated, service_role. */
  get_job: {
    arguments: { p_id: string };
    answer: Json;
  };
  /** Leases due refreshes for five minutes, as an array of {id, symbol, data_type, edge_function, edge_function_name, priority, estimated_size}, highest priority first. For service_role. */
  get_queue_batch: {
    arguments: { batch_size?: number | null };
    answer: Json;
  };
  /** What a profile has used this month: {current_period, usage, status}, and the keys of mill.usage_status; a limit of null is unlimited. {tracking_disabled: true} while nothing is counted. For authenticated, service_role. */
  get_user_usage_status: {
    arguments: { p_profile_id: string };
    answer: Json;
  };
  /** One job of the caller's (any, for the service) with its steps, its first tasks and its artifacts, or null. For authenticated, service_role. */
  get_workflow: {
    arguments: { p_id: string; p_max_tasks?: number | null };
    answer: Json;
  };
  /** Whether a user owns a profile or was let in. For a signed-in caller only about itself. For authenticated, service_role. */
  has_profile_access: {
    arguments: { p_user_id: string; p_profile_id: string };
    answer: boolean;
  };
  /** Every health check with what is not well, in words, and notes on what nobody serves; no content, no whole-table counts. For service_role. */
  health_report: {
    arguments: Record<string, never>;
    answer: Json;
  };
  /** Extends leases [{id, attempt, progress}]; held, lost or cancelled for each. For service_role. */
  heartbeat_jobs: {
    arguments: { p_worker: string; p_leases: Json };
    answer: Json;
  };
  /** Extends the worker's lease on a task; false when it is lost or the task was cancelled, and the worker must stop. For service_role. */
  heartbeat_task: {
    arguments: { p_task_id: string; p_worker_id: string; p_progress?: number | null };
    answer: boolean;
  };
  /** Asks for one invocation of the processor when refreshes are due and its breaker allows it. For service_role. */
  invoke_processor_if_healthy: {
    arguments: Record<string, never>;
    answer: null;
  };
  /** One round of the pump: reclaims, promotes and invokes. Does nothing while another call is at it. For service_role. */
  invoke_processor_loop: {
    arguments: Record<string, never>;
    answer: null;
  };
  /** Whether data fetched then is older than its time to live; missing data is stale. A time to live of zero or less raises. For authenticated, service_role. */
  is_data_stale: {
    arguments: { p_fetched_at: string; p_ttl_minutes: number };
    answer: boolean;
  };
  /** is_data_stale under its compatible name for company profiles. For authenticated, service_role. */
  is_profile_stale: {
    arguments: { p_modified_at: string; p_ttl_minutes: number };
    answer: boolean;
  };
  /** Whether the next batch would pass the data quota. Null and the compatible defaults (20 GB of 2^30 bytes, 30 days, 0.95) stand for the settings. For service_role. */
  is_quota_exceeded: {
    arguments: { p_quota_gb?: number | null; p_rolling_days?: number | null; p_safety_buffer?: number | null };
    answer: boolean;
  };
  /** Whether the caller's token carries the service role. For anon, authenticated, service_role. */
  is_service_role: {
    arguments: Record<string, never>;
    answer: boolean;
  };
  /** Whether a name may stand for a table, column or function in the registry. For authenticated, service_role. */
  is_valid_identifier: {
    arguments: { p_identifier: string };
    answer: boolean;
  };
  /** A ticket for a stream of the caller's: {ticket, expires_at}, or null where there is nothing to read. Raises GM090 for what has no tickets. For authenticated. */
  issue_ticket: {
    arguments: { p_function: string; p_arguments?: Json | null };
    answer: Json;
  };
  /** The limit that a call of a model draws on: {provider_name, api_endpoint, is_of_queue}. is_of_queue: a claim from that queue has reserved one call of it. GM020 when there is none. For service_role. */
  limit_of_call: {
    arguments: { p_provider_name: string; p_model: string; p_queue?: string | null };
    answer: Json;
  };
  /** The caller's documents, newest first, without their content. For authenticated, service_role. */
  list_documents: {
    arguments: { p_profile_id?: string | null; p_before?: string | null; p_limit?: number | null };
    answer: Json;
  };
  /** The caller's exports, newest first. For authenticated. */
  list_exports: {
    arguments: { p_limit?: number | null; p_before?: string | null };
    answer: Json;
  };
  /** The caller's jobs (all, for the service), newest first; p_before is the last id of the page before. For authenticated, service_role. */
  list_workflows: {
    arguments: { p_limit?: number | null; p_before?: string | null };
    answer: Json;
  };
  /** Appends an event to the audit log, in the caller's transaction; answers its id. For service_role. */
  log_audit_event: {
    arguments: { p_table_name: string; p_record_id: string; p_action: string; p_old_values?: Json | null; p_new_values?: Json | null; p_reason?: string | null; p_source?: string | null; p_patient_id?: string | null; p_job_id?: string | null; p_correlation_id?: string | null };
    answer: number;
  };
  /** Prepares and drops day partitions; waits one second for a lock, then leaves it for the next time. For service_role. */
  maintain_queue_partitions: {
    arguments: Record<string, never>;
    answer: null;
  };
  /** What /metrics shows: numbers under names of queues, targets, schedules and rules, no content. For service_role. */
  metrics_report: {
    arguments: Record<string, never>;
    answer: Json;
  };
  /** An object of another bucket than gristmill is stored: BUCKET:KEY. False when an application refuses to have it replaced. For the storage stand-in. For service_role. */
  note_object: {
    arguments: { p_object: string; p_size: number; p_content_type: string };
    answer: boolean;
  };
  /** Which of these objects belong to no document. For service_role. */
  orphaned_objects: {
    arguments: { p_places: string[] };
    answer: Json;
  };
  /** Stops claims and invocations of a queue, or lets them go on; says whether it is paused now. For service_role. */
  pause_queue: {
    arguments: { p_queue: string; p_paused?: boolean | null };
    answer: boolean;
  };
  /** Queues one refresh unless it is queued already or the quota is used up. For service_role. */
  queue_refresh_if_not_exists: {
    arguments: { p_symbol: string; p_data_type: string; p_priority?: number | null; p_estimated_size?: number | null };
    answer: null;
  };
  /** Queues the next stretch of every scheduled type that is due. Does nothing while another run is at it. For service_role. */
  queue_scheduled_refreshes: {
    arguments: Record<string, never>;
    answer: null;
  };
  /** Depth, age, throughput, durations, backlog in seconds of work and the workers that would clear it, for each queue. For service_role. */
  queue_stats: {
    arguments: Record<string, never>;
    answer: Json;
  };
  /** What a function of mill.ticket_call answers to the user of the ticket. Raises GM090 for a ticket that is forged, expired or for something else. For anon, authenticated, service_role. */
  read_with_ticket: {
    arguments: { p_ticket: string; p_function: string; p_arguments?: Json | null };
    answer: Json;
  };
  /** Takes back expired leases, of tasks and of other jobs; says how many. The pump does so every few seconds. For service_role. */
  reclaim_stale_tasks: {
    arguments: Record<string, never>;
    answer: number;
  };
  /** Takes back refreshes that run for longer than the minutes, and every expired lease. For service_role. */
  recover_stuck_jobs: {
    arguments: { timeout_minutes?: number | null; max_retries?: number | null };
    answer: null;
  };
  /** Ends an unfinished upload by the size of its object, null where there is none: registered; waiting, to be looked at again; forgotten, and then the object, if any, is to be removed. For service_role. */
  recover_upload: {
    arguments: { p_place: string; p_size: number };
    answer: string;
  };
  /** Counts watchers by symbol and type; {counted} or {skipped}. For service_role. */
  refresh_analytics_from_presence_v2: {
    arguments: Record<string, never>;
    answer: Json;
  };
  /** Ends a document as refused or infected, and its job with it; false when the lease is lost, and then nothing has changed. A repeated call answers true. For service_role. */
  refuse_document: {
    arguments: { p_job: string; p_worker: string; p_attempt: number; p_status: string; p_error: Json; p_place: string; p_measured?: Json | null; p_outcome?: Json | null };
    answer: boolean;
  };
  /** Makes a document of a file that the caller has stored in medical-docs: {id, status}. A repeat answers the same document. For authenticated. */
  register_stored_file: {
    arguments: { p_storage_path: string; p_filename?: string | null; p_mime_type?: string | null; p_size?: number | null; p_idempotency_key?: string | null; p_profile_id?: string | null };
    answer: Json;
  };
  /** Gives back a call that acquire_api_capacity reserved and settles its actual tokens; without them the estimate stands. For service_role. */
  release_api_capacity: {
    arguments: { p_provider_name: string; p_api_endpoint: string; p_estimated_tokens?: number | null; p_actual_tokens?: number | null };
    answer: null;
  };
  /** A provider said 429: nobody is let through for its Retry-After, or for the limit's own delay. Answers until when. For service_role. */
  report_api_rate_limit: {
    arguments: { p_provider_name: string; p_api_endpoint: string; p_retry_after_seconds?: number | null };
    answer: string;
  };
  /** How far an export is; false tells the worker to stop. For service_role. */
  report_export: {
    arguments: { p_job: string; p_worker: string; p_attempt: number; p_progress: number; p_message: string };
    answer: boolean;
  };
  /** Starts a finished or failed document over. For authenticated, service_role. */
  reprocess_document: {
    arguments: { p_id: string };
    answer: Json;
  };
  /** Asks for a PDF of one of the caller's documents; answers the export. For authenticated. */
  request_export: {
    arguments: { p_document_id: string; p_template?: string | null; p_options?: Json | null; p_correlation_id?: string | null };
    answer: Json;
  };
  /** Asks for PDFs of up to ten of the caller's documents, all or none; answers the batch. For authenticated. */
  request_export_batch: {
    arguments: { p_document_ids: string[]; p_template?: string | null; p_options?: Json | null; p_correlation_id?: string | null };
    answer: Json;
  };
  /** Puts a running job off without consuming an attempt, with jitter of at most half of the delay and 30 s; false when no compat claim holds it. For service_role. */
  reschedule_job: {
    arguments: { p_job_id: string; p_delay_seconds: number; p_reason: string; p_add_jitter?: boolean | null };
    answer: boolean;
  };
  /** Reserves one call of a provider with its estimated tokens: {granted, lease_id, …} or {granted: false, reason, retry_after_seconds}. For service_role. */
  reserve_api_capacity: {
    arguments: { p_provider_name: string; p_api_endpoint: string; p_estimated_tokens?: number | null };
    answer: Json;
  };
  /** Where a worker is to store its file, with room for it taken; null when it holds the export no more, GM051 without room. For service_role. */
  reserve_export_file: {
    arguments: { p_job: string; p_worker: string; p_attempt: number; p_size: number; p_bucket?: string | null };
    answer: string;
  };
  /** Gives a refresh that get_queue_batch gave out back at once, without consuming its attempt: for deadlocks. Nothing happens when no such lease runs. For service_role. */
  reset_job_immediate: {
    arguments: { p_job_id: string };
    answer: null;
  };
  /** Sends dead letters back to pending; retried, duplicate, unknown_kind or not_dead for each. For service_role. */
  retry_jobs: {
    arguments: { p_ids: string[] };
    answer: Json;
  };
  /** Resumes a failed job of the caller's from its failed tasks, keeping what is done. Raises GM067 when there is nothing to resume. For authenticated, service_role. */
  retry_workflow: {
    arguments: { p_id: string };
    answer: Json;
  };
  /** Runs a piece of a cleanup step; answers its report, with more when there is more and remove where objects must go first. For service_role. */
  run_cleanup_step: {
    arguments: { p_step: string };
    answer: Json;
  };
  /** Runs what a cron trigger stands for; says for each schedule whether it succeeded. For service_role. */
  run_schedules: {
    arguments: { p_trigger_of: string; p_schedule: string };
    answer: Json;
  };
  /** Keeps a page, as mill.write_page has it; false when the lease is lost. For service_role. */
  save_document_page: {
    arguments: { p_job: string; p_worker: string; p_attempt: number; p_page: Json };
    answer: boolean;
  };
  /** Stops users' writes, or lets them go on; says whether they are stopped now. For service_role. */
  set_maintenance: {
    arguments: { p_enabled: boolean; p_reason?: string | null; p_retry_after_seconds?: number | null };
    answer: boolean;
  };
  /** Gives back what reserve_api_capacity granted and settles the actual tokens; false when there was nothing to give back. For service_role. */
  settle_api_capacity: {
    arguments: { p_lease_id: string; p_actual_tokens?: number | null };
    answer: boolean;
  };
  /** Settles a batch of outcomes, as an array of {id, status}. For service_role. */
  settle_jobs: {
    arguments: { p_worker: string; p_outcomes: Json; p_invocation?: string | null };
    answer: Json;
  };
  /** Writes what a batch fetched and settles it, as an array of {id, status}. For service_role. */
  settle_refresh: {
    arguments: { p_worker: string; p_outcomes: Json; p_invocation?: string | null; p_pauses?: Json | null };
    answer: Json;
  };
  /** Starts a job of a workflow type; answers {id, status, new}. new is false when the idempotency key has started it before. For authenticated, service_role. */
  start_workflow: {
    arguments: { p_type: string; p_params?: Json | null; p_priority?: number | null; p_idempotency_key?: string | null; p_user_id?: string | null; p_correlation_id?: string | null };
    answer: Json;
  };
  /** The buckets that there are. The storage stand-in asks. For service_role. */
  storage_buckets: {
    arguments: Record<string, never>;
    answer: string[];
  };
  /** Enqueues one job for the caller; answers {id, status} with status new or duplicate. For authenticated, service_role. */
  submit_job: {
    arguments: { p_kind: string; p_payload: Json; p_name?: string | null; p_priority?: number | null; p_run_at?: string | null; p_dedupe_key?: string | null; p_group_key?: string | null; p_owner?: string | null; p_correlation_id?: string | null };
    answer: Json;
  };
  /** One round of the pump: reclaim, promote, invoke. For service_role. */
  tick: {
    arguments: Record<string, never>;
    answer: Json;
  };
  /** Counts a job's model calls, once per job: {ai_tokens_used, ai_tokens_limit, ai_processing_jobs, over_limit}; a limit of null is unlimited. {tracking_disabled: true} while nothing is counted. For service_role. */
  track_ai_processing_usage: {
    arguments: { p_profile_id: string; p_job_id: string; p_tokens_used: number; p_processing_seconds?: number | null };
    answer: Json;
  };
  /** Counts a processed file, once, and corrects its pages. For service_role. */
  track_shell_file_processed_usage: {
    arguments: { p_profile_id: string; p_shell_file_id: string; p_actual_pages: number };
    answer: Json;
  };
  /** Counts a file of the service's own, once, and answers what the profile has used: {shell_files_used, shell_files_limit, pages_used, pages_limit, storage_used_mb, storage_limit_mb, over_limit, upgrade_required, plan_type}. Past the plan while billing is on nothing is counted. A user's call counts nothing. {tracking_disabled: true} while nothing is counted. For authenticated, service_role. */
  track_shell_file_upload_usage: {
    arguments: { p_profile_id: string; p_shell_file_id: string; p_file_size_bytes: number; p_estimated_pages?: number | null };
    answer: Json;
  };
  /** Extends the worker's lease on a job; false when it is lost or the job was cancelled, and the worker must stop. For service_role. */
  update_job_heartbeat: {
    arguments: { p_job_id: string; p_worker_id: string; heartbeat_interval_seconds?: number | null };
    answer: boolean;
  };
  /** The caller watches a symbol's data, still or from now on. GM036: no such symbol or type; GM038: too many. For authenticated, service_role. */
  upsert_active_subscription_v2: {
    arguments: { p_user_id?: string | null; p_symbol?: string | null; p_data_type?: string | null };
    answer: Json;
  };
  /** Checks the audit log from one day to another: {ok, days, rows, findings: [{day, seq, audit_id, problem}], head}. For service_role. */
  verify_audit_log: {
    arguments: { p_from?: string | null; p_to?: string | null; p_known_head?: string | null };
    answer: Json;
  };
  /** The queues that a container worker claims from, as an array. For service_role. */
  worker_queues: {
    arguments: Record<string, never>;
    answer: Json;
  };
  /** Events of one job of the caller's (any, for the service) after a given one, or null. For authenticated, service_role. */
  workflow_events: {
    arguments: { p_id: string; p_after: number };
    answer: Json;
  };
  /** Status and progress of one job of the caller's (any, for the service), or null. For authenticated, service_role. */
  workflow_progress: {
    arguments: { p_id: string };
    answer: Json;
  };
}

/** The name of a function. */
export type RpcName = keyof Rpcs;
/** What a function is given. */
export type RpcArguments<N extends RpcName> = Rpcs[N]["arguments"];
/** What a function answers. */
export type RpcAnswer<N extends RpcName> = Rpcs[N]["answer"];
