// The questions that are asked of the ledger after each round: is something lost, did something happen twice, did a stale attempt
// change something. Each gives a list of sentences, empty when all is well. The database is read as its owner; only what the ledger
// says was acknowledged is held against it.

const list = (rows) => rows.map((row) => JSON.stringify(row)).join(", ");

/** L: what was acknowledged and is neither completed nor still under way. */
export async function lost(query, items) {
  const acknowledged = (app) => items.filter((item) => item.app === app && item.id);
  const missing = [];
  for (const [app, sql] of Object.entries(STANDING)) {
    const asked = acknowledged(app);
    const rows = await query(sql, [asked.map(({ id }) => id)]);
    const standing = new Map(rows.map(({ id, standing }) => [id, standing]));
    for (const { key, id } of asked) {
      const found = standing.get(id) ?? "is not there";
      if (!["completed", "under way"].includes(found)) missing.push(`${app} ${key} (${id}) ${found}`);
    }
  }
  missing.push(...items.filter(({ refused }) => refused).map(({ app, key, refused }) => `${app} ${key} was refused: ${refused}`));
  for (const { app, key, backs } of items) {
    const bad = backs.find(({ state }) => state !== "completed");
    if (bad) missing.push(`${app} ${key} came back as ${bad.state}: ${JSON.stringify(bad.proof)}`);
  }
  return missing;
}

// Where each acknowledged thing stands: 'completed', 'under way' while something is there that will carry it on, or what is wrong.
const STANDING = {
  job: `
    select j.id::text, case when j.state = 'completed' then 'completed' when j.state in ('failed', 'cancelled') then 'ended as ' || j.state else 'under way' end as standing
    from (select id, state from mill.job union all select id, state from mill.packed_job) j where j.id = any ($1::uuid[])`,
  export: `
    select e.id::text, case
      when j.state = 'completed' and h.id is null then 'is completed and has no file'
      when j.state = 'completed' then 'completed'
      when j.state in ('pending', 'deferred', 'retrying', 'processing') then 'under way'
      else 'ended as ' || coalesce(j.state, 'nothing') end as standing
    from mill.export e left join mill.job j on j.id = e.id left join mill.export_history h on h.id = e.id where e.id = any ($1::uuid[])`,
  document: `
    select f.id::text, case
      when f.status = 'completed' then 'completed'
      when f.status = 'uploading' and exists (select from mill.document_upload u where u.document_id = f.id) then 'under way'
      when f.status in ('uploaded', 'processing') and exists (
        select from mill.job_live j where j.dedupe_key = mill.stage_key(f.id, f.run, f.stage)) then 'under way'
      else 'is ' || f.status || ' at ' || coalesce(f.stage, 'no stage') || ' and no job carries it on' end as standing
    from public.shell_files f where f.id = any ($1::uuid[])`,
  // A live subscription is looked at by the next pass.
  refresh: `
    select s.symbol as id, case
      when exists (select from public.quotes q where q.symbol = s.symbol) then 'completed'
      when exists (select from mill.job_live j where j.dedupe_key = s.symbol || ':quote')
        or exists (select from public.active_subscriptions_v2 a where a.symbol = s.symbol) then 'under way'
      else 'has no row and nobody fetches it' end as standing
    from public.supported_symbols s where s.symbol = any ($1::text[])`,
  workflow: `
    select w.id::text, case
      when w.status = 'completed' then 'completed'
      when w.status in ('failed', 'cancelled') then 'ended as ' || w.status
      when exists (select from mill.job_live j where j.parent = w.id)
        or exists (select from mill.ended t where t.parent = w.id and not t.counted) then 'under way'
      else 'is ' || w.status || ' and no task carries it on' end as standing
    from mill.workflow w where w.id = any ($1::uuid[])`,
};

/** D: what happened more than once. */
export async function doubled(query, items) {
  const keys = (app) => items.filter((item) => item.app === app).map(({ key }) => key);
  const ids = (app) => items.filter((item) => item.app === app && item.id).map(({ id }) => id);
  const found = [];
  for (const [what, sql, values] of [
    ["a job lies in more than one place",
      "select id, count(*)::int as times, array_agg(state) as states from mill.job group by id having count(*) > 1", []],
    ["one request made several jobs",
      `select payload ->> 'key' as key, count(*)::int as times, array_agg(id) as ids from mill.job
       where kind = 'echo' and payload ->> 'key' = any ($1) group by 1 having count(*) > 1`, [keys("job")]],
    ["one request made several exports",
      "select title, count(*)::int as times, array_agg(id) as ids from mill.export where title = any ($1) group by 1 having count(*) > 1", [keys("export")]],
    ["an export has several files",
      "select export_id, count(*)::int as times from mill.export_file where state = 'stored' and export_id = any ($1::uuid[]) group by 1 having count(*) > 1", [ids("export")]],
    ["one upload made several documents",
      `select original_filename, count(*)::int as times, array_agg(id) as ids from public.shell_files
       where coalesce(original_filename, filename) = any ($1) group by 1 having count(*) > 1`, [keys("document").map((key) => `${key}.txt`)]],
    ["facts of a document were written several times, or a pass was counted several times",
      `select f.id, p.passes, p.written from public.shell_files f cross join lateral (
         select (select count(*)::int from public.usage_events e where e.shell_file_id = f.id and e.event_type = 'ai_processing_completed') as passes,
           (select count(*)::int from mill.audit_log a where a.record_id = f.id::text and a.table_name = 'documents.pass2') as written) p
       where f.id = any ($1::uuid[]) and f.status = 'completed' and (p.passes > 3 or p.written <> 1)`, [ids("document")]],
    ["one request made several workflows",
      "select idempotency_key, count(*)::int as times from mill.workflow where idempotency_key = any ($1) group by 1 having count(*) > 1", [keys("workflow")]],
    ["a task of a workflow made several files",
      "select task_id, artifact_type, count(*)::int as times from public.job_artifacts where job_id = any ($1::uuid[]) group by 1, 2 having count(*) > 1", [ids("workflow")]],
  ]) {
    const rows = await query(sql, values);
    if (rows.length > 0) found.push(`${what}: ${list(rows)}`);
  }
  return found;
}

/** The attempts that run now: after a kill they are stale, once the job has moved on. */
export const runningAttempts = (query) =>
  query("select id::text, worker, attempt from mill.job_live where state = 'processing'");

/**
 * F: says again, as the worker that is gone would, that its attempts are completed. Only attempts that are over are said again: a job
 * that the engine still counts as theirs may be settled by them. Gives what was wrong.
 */
export async function saidByStale(query, attempts, settle) {
  const held = new Set((await runningAttempts(query)).map(({ id, worker, attempt }) => `${id} ${worker} ${attempt}`));
  const stale = attempts.filter(({ id, worker, attempt }) => !held.has(`${id} ${worker} ${attempt}`));
  const wrong = [];
  for (const worker of new Set(stale.map((one) => one.worker))) {
    const outcomes = stale.filter((one) => one.worker === worker)
      .map(({ id, attempt }) => ({ id, attempt, outcome: "completed", result: { stale: true } }));
    for (const { id, status } of await settle(worker, outcomes)) {
      if (status !== "lost") wrong.push(`job ${id} believed the stale attempt of ${worker}: ${status}`);
    }
  }
  const believed = await query("select id, kind, attempt from mill.job where result ? 'stale'");
  if (believed.length > 0) wrong.push(`results of stale attempts were kept: ${list(believed)}`);
  return { said: stale.length, wrong };
}

/** F: what came back once and is different now. */
export async function changed(items, lookAgain) {
  const back = items.filter(({ backs }) => backs.length > 0);
  const different = [];
  const take = async () => {
    for (let item; (item = back.pop());) {
      const first = item.backs[0];
      const now = await lookAgain(item);
      if (JSON.stringify([now?.state, now?.proof]) !== JSON.stringify([first.state, first.proof])) {
        different.push(`${item.app} ${item.key} was ${JSON.stringify(first)} and is ${JSON.stringify(now)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, take));
  return different;
}

/** Where the time of something went: its jobs in the engine, each with how long it waited and ran. For whoever reads a failure. */
export async function timeOf(query, key, id) {
  const rows = await query(`
    select j.kind, j.state, j.attempt, round(extract(epoch from coalesce(j.started_at, now()) - j.created_at), 1) as waited,
      round(extract(epoch from coalesce(j.finished_at, now()) - j.started_at), 1) as ran
    from mill.job j
    where $2 in (j.id::text, j.parent::text, j.payload ->> 'document_id') or j.payload ->> 'symbol' = $1
    order by j.created_at`, [key, id]);
  return rows.map(({ kind, state, attempt, waited, ran }) => `${kind} ${state} in attempt ${attempt}, waited ${waited} s, ran ${ran ?? 0} s`).join("; ");
}
