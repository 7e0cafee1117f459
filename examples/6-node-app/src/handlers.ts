// What the jobs do. A job runs at least once, so a handler looks first whether its work is done.
import { handle } from "gristmill";
import type { Pool } from "pg";
import { sendReceipt } from "./jobs.js";
import { findOrder } from "./orders.js";

export type SendMail = (mail: { to: string; text: string; key: string }) => Promise<void>;

export const handlers = (pool: Pool, sendMail: SendMail) => [
  handle(sendReceipt, async ({ payload: { order, email, total }, log }) => {
    const found = await findOrder(pool, order);
    if (!found || found.receipt_sent_at) return { sent: false };
    // Mail services take a key, under which a mail is sent once: this line may run again after a crash.
    await sendMail({ to: email, text: `Thank you. You paid ${(total / 100).toFixed(2)}.`, key: order });
    await pool.query("update public.orders set receipt_sent_at = now() where id = $1", [order]);
    log("sent the receipt", { to: email });
    return { sent: true };
  }),
];
