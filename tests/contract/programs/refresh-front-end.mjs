// The front end of a page that shows one symbol: subscribes, sends heartbeats, shows what changes, and unsubscribes when it is left.
import { createClient } from "@supabase/supabase-js";
import ws from "ws";

const { SUPABASE_URL, SUPABASE_ANON_KEY, ACCESS_TOKEN, USER_ID, SYMBOL, DATA_TYPE, TABLE, HEARTBEAT_MS } = process.env;
const supabase = createClient(SUPABASE_URL, SUPABASE_ANON_KEY, {
  accessToken: async () => ACCESS_TOKEN, realtime: { transport: ws, reconnectAfterMs: () => 300 },
});
const say = (what) => console.log(JSON.stringify(what));

async function heartbeat() {
  const { data, error } = await supabase.rpc("upsert_active_subscription_v2", { p_user_id: USER_ID, p_symbol: SYMBOL, p_data_type: DATA_TYPE });
  say(error ? { refused: error.code } : { subscription: data });
}

await supabase.realtime.setAuth(); // the channel is joined as the user
const channel = supabase.channel(`page-${SYMBOL}`)
  .on("postgres_changes", { event: "*", schema: "public", table: TABLE, filter: `symbol=eq.${SYMBOL}` }, (payload) => say({ change: payload }))
  .subscribe((status) => say({ status }));
await new Promise((resolve) => {
  const looking = setInterval(() => {
    if (channel.state === "joined") resolve(clearInterval(looking));
  }, 20);
});
await heartbeat();
const timer = setInterval(heartbeat, Number(HEARTBEAT_MS ?? 60_000));

process.once("SIGTERM", async () => {
  clearInterval(timer);
  await supabase.removeChannel(channel);
  const { error } = await supabase.from("active_subscriptions_v2").delete().match({ user_id: USER_ID, symbol: SYMBOL, data_type: DATA_TYPE });
  say({ left: error?.message ?? true });
  process.exit(0);
});
