// Registers the jobs and says where the function is. Run it after each deployment: it changes only what is new.
import { gristmill } from "gristmill";

import { remind, welcome } from "./supabase/functions/jobs/jobs.ts";

declare const Deno: { env: { get(name: string): string | undefined } };

const url = Deno.env.get("JOBS_URL") ?? `${Deno.env.get("SUPABASE_URL")}/functions/v1/jobs`;
const { kinds, kept } = await gristmill().register([welcome, remind], { url });
for (const { kind, status } of kinds) console.log(`${kind} is ${status}`);
for (const { kind, queue, field, value } of kept) console.log(`${kind ?? queue}: ${field} stays ${value}, because an operator has changed it`);
