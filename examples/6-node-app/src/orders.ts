// Orders, and what happens with each: the row and its job are one transaction.
import { enqueue } from "gristmill/pg";
import type { Pool } from "pg";
import { sendReceipt } from "./jobs.js";

export interface Order {
  id: string;
  email: string;
  total: number;
  receipt_sent_at: Date | null;
}

/** Stores an order and asks for its receipt. After a crash both are there, or neither is. */
export async function placeOrder(pool: Pool, { email, total }: { email: string; total: number }): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const { rows } = await client.query<{ id: string }>("insert into public.orders (email, total) values ($1, $2) returning id", [email, total]);
    const order = rows[0]!.id;
    await enqueue(client, sendReceipt, { order, email, total });
    await client.query("commit");
    return order;
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}

export async function findOrder(pool: Pool, id: string): Promise<Order | null> {
  const { rows } = await pool.query<Order>("select id, email, total, receipt_sent_at from public.orders where id = $1", [id]);
  return rows[0] ?? null;
}
