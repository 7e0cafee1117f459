// The first thing that a user does with each application, in whichever schema it lies. Each answers the queue in which a job then waits.
import assert from "node:assert/strict";

import { complete, service, user } from "./callers.mjs";

/** @type {Record<string, (client: import("pg").Client, schema: string) => Promise<{queue: string, id?: string}>>} */
export const first = {
  async documents(client, schema) {
    const { id, place } = await user(client)(`select ${schema}.begin_document_upload('text/plain', 'letter.txt')`);
    await user(client)(`select ${schema}.finish_document_upload($1, $2, 5, repeat('a', 64))`, id, place);
    const document = await user(client)(`select ${schema}.get_document($1)`, id);
    assert.equal(document.status, "uploaded");
    return { queue: "fast", id };
  },

  async refresh(client, schema) {
    await service(client)(`insert into ${schema}.supported_symbols (symbol) values ('ACME')`);
    const answer = await user(client)(`select ${schema}.upsert_active_subscription_v2(p_symbol => 'ACME', p_data_type => 'quote')`);
    assert.deepEqual(answer, { status: "new", queued: 1 });
    return { queue: "refresh" };
  },

  async exports(client, schema) {
    const document = await user(client)(`insert into ${schema}.documents (title, data) values ('Resume', '{}') returning id`);
    const { id, status } = await user(client)(`select ${schema}.request_export($1)`, document);
    assert.equal(status, "pending");
    return { queue: "exports", id };
  },

  async workflows(client, schema) {
    const { id, status } = await user(client)(`select ${schema}.start_workflow('echo', '{"message": "hello"}')`);
    assert.equal(status, "queued");
    return { queue: "default", id };
  },

  async compat(client, schema) {
    const id = await service(client)(`select ${schema}.enqueue_job_v3('echo', 'a compatible job', '{"message": "hello"}')`);
    return { queue: "default", id };
  },
};

/** Completes the two tasks of the workflow 'echo', one after the other. */
export async function finishWorkflow(client, schema, id) {
  for (let task = 0; task < 2; task++) assert.ok((await complete(client, "default")).length > 0, "a task of the workflow waits");
  const workflow = await user(client)(`select ${schema}.get_workflow($1)`, id);
  assert.equal(workflow.status, "completed", JSON.stringify(workflow));
}
