// Stands in for the extension pg_net, which is in no registry, with its rests: it takes up to 200 requests, sends them at once, records their answers in one
// transaction, and then rests for a second, whatever has come meanwhile. Schema net is that of the relay, which must not run beside it.
//   new PgNet(databaseUrl).start()      in the process of a test or a benchmark
// hold() keeps requests in the queue, as a pg_net that is slow or down does; release() lets them go.
import pg from "pg";

const BATCH = 200;
const REST_MS = 1000;

export class PgNet {
  /** Every request that was sent: {at, url, id, status}. */
  sent = [];
  #held = false;
  #ended = false;
  #wake = () => {};

  constructor(databaseUrl) {
    this.client = new pg.Client({ connectionString: databaseUrl, application_name: "pg_net stand-in" });
    this.client.on("error", () => (this.#ended = true)); // Postgres has gone
    this.client.on("notification", () => this.#wake());
  }

  async start() {
    await this.client.connect();
    await this.client.query("listen gristmill_net");
    this.running = this.#run();
    return this;
  }

  hold() {
    this.#held = true;
  }

  release() {
    this.#held = false;
    this.#wake();
  }

  async stop() {
    this.#ended = true;
    this.#wake();
    await this.running;
    await this.client.end().catch(() => {});
  }

  async #run() {
    while (!this.#ended) {
      // Asked for before the look: what is committed during it is not missed.
      const woken = new Promise((resolve) => (this.#wake = resolve));
      if (this.#held || (await this.#batch()) === 0) await Promise.race([woken, pause(REST_MS)]);
      else await pause(REST_MS);
    }
  }

  async #batch() {
    const { rows } = await this.client.query(`select id, method, url, headers, convert_from(body, 'UTF8') as body, timeout_milliseconds
      from net.http_request_queue order by id limit ${BATCH}`);
    if (rows.length === 0) return 0;
    const answers = await Promise.all(rows.map((row) => this.#send(row)));
    // A request leaves the queue in the transaction that writes its answer.
    await this.client.query(`with answer as (
        select * from jsonb_to_recordset($1) as a (id bigint, status_code int, content_type text, headers jsonb, content text, timed_out boolean, error_msg text)
      ), answered as (delete from net.http_request_queue q using answer a where q.id = a.id returning q.id)
      insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg) select a.* from answer a join answered using (id)`,
      [JSON.stringify(answers)]);
    return rows.length;
  }

  async #send({ id, method, url, headers, body, timeout_milliseconds: patience }) {
    const sent = { at: Date.now(), url, id, status: null };
    this.sent.push(sent);
    try {
      const answer = await fetch(url, { method, headers, ...(method === "POST" && { body }), signal: AbortSignal.timeout(patience) });
      const content = await answer.text();
      sent.status = answer.status;
      sent.content = content;
      return { id, status_code: answer.status, content_type: answer.headers.get("content-type"), headers: Object.fromEntries(answer.headers), content, timed_out: false, error_msg: null };
    } catch (error) {
      return { id, status_code: null, timed_out: error.name === "TimeoutError", error_msg: String(error.cause ?? error) };
    }
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
