// A user for the time of a run.
import { createHmac, randomBytes, randomUUID } from "node:crypto";

/** `{token, headers, remove}`: made by Supabase Auth with the service key, given by its token, or signed with the gateway's own secret. */
export async function someone(url, env, scrub) {
  if (env.GRISTMILL_USER_TOKEN) return user(env, env.GRISTMILL_USER_TOKEN, async () => {});
  if (env.SUPABASE_SERVICE_ROLE_KEY) {
    const made = await byAuth(url, env, scrub);
    if (made) return made;
  }
  if (env.GRISTMILL_JWT_SECRET) {
    const token = sign({ role: "authenticated", aud: "authenticated", sub: randomUUID(), exp: Math.floor(Date.now() / 1000) + 3600 }, env.GRISTMILL_JWT_SECRET);
    scrub.learn(token);
    return user(env, token, async () => {});
  }
  throw new Error("no user can be had: set SUPABASE_SERVICE_ROLE_KEY, GRISTMILL_USER_TOKEN or GRISTMILL_JWT_SECRET (--help says what each is)");
}

const user = (env, token, remove) => ({ token, headers: { authorization: `Bearer ${token}`, apikey: env.SUPABASE_ANON_KEY }, remove });

// null where no Supabase Auth answers: a gateway of one's own has none.
async function byAuth(url, env, scrub) {
  const key = env.SUPABASE_SERVICE_ROLE_KEY;
  const [email, password] = [`gristmill-smoke-${randomBytes(6).toString("hex")}@example.com`, randomBytes(24).toString("base64url")];
  for (const word of [email, password]) scrub.learn(word);
  const call = (method, at, body, headers) => fetch(`${url}/auth/v1/${at}`, { method, body: body && JSON.stringify(body), signal: AbortSignal.timeout(30_000),
    headers: { "content-type": "application/json", apikey: key, authorization: `Bearer ${key}`, ...headers } });
  let made;
  try {
    made = await call("POST", "admin/users", { email, password, email_confirm: true });
  } catch (error) {
    throw new Error(`${url} cannot be reached: ${error.cause?.code ?? error.message}`);
  }
  if (made.status === 404) return null;
  if (!made.ok) throw new Error(`Supabase Auth makes no user: ${made.status}. Is SUPABASE_SERVICE_ROLE_KEY the project's?`);
  const { id } = await made.json();
  const remove = async () => {
    const { ok, status } = await call("DELETE", `admin/users/${id}`);
    if (!ok) throw new Error(`Supabase Auth answers ${status}`);
  };
  const signedIn = await call("POST", "token?grant_type=password", { email, password }, { apikey: env.SUPABASE_ANON_KEY, authorization: `Bearer ${env.SUPABASE_ANON_KEY}` });
  if (!signedIn.ok) {
    await remove();
    throw new Error(`Supabase Auth lets the new user not sign in: ${signedIn.status}. Is sign-in by email and password switched on?`);
  }
  const { access_token } = await signedIn.json();
  scrub.learn(access_token);
  return user(env, access_token, remove);
}

function sign(claims, secret) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}
