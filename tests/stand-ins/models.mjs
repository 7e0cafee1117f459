// Stands in for OpenAI, Anthropic and Google Vision, whose real ones cost money, with manners as bad as wanted.
//   node models.mjs PORT
// POST /manners [..] queues how the next calls are answered: ok, 429, 500, hang, html, truncated, wrong, invents; then ok again.
// invents answers in the right shape and adds what no page says: a drug, a dose, a status and a sentence.
// GET /calls tells what was asked, and when: {at, path, key, manner}, without content.
import http from "node:http";

const manners = [];
const calls = [];

const entities = { entities: [
  { kind: "medication", text: "metformin", detail: { dose: 500, unit: "mg", frequency: "twice daily" }, page: 1, box: [0.1, 0.1, 0.5, 0.2], confidence: 0.9 }] };
const facts = { facts: [
  { kind: "medication", name: "metformin", value: { dose: 500, unit: "mg", frequency: "twice daily" }, code_system: null, code: null, page: 1, box: [0.1, 0.1, 0.5, 0.2], confidence: 0.9 }] };
const narrative = { sentences: [{ text: "Takes metformin.", facts: [1] }], timeline: [] };

const invented = {
  facts: { facts: [...facts.facts,
    { kind: "medication", name: "lisinopril", value: { dose: 10, unit: "mg" }, page: 1, confidence: 0.99 },
    { kind: "medication", name: "metformin", value: { dose: 850, unit: "mg" }, page: 1, confidence: 0.99 },
    { kind: "condition", name: "pneumonia", status: "current", value: {}, page: 1, confidence: 0.99 }] },
  narrative: { sentences: [...narrative.sentences, { text: "Takes metformin 850 mg and lisinopril.", facts: [1] }], timeline: [] },
};

const draft = { sections: [{ title: "Written elsewhere", text: "A model wrote this." }] };

function answerTo(task, manner) {
  const said = manner === "invents" ? invented : { facts, narrative };
  return JSON.stringify(task.includes('"sections"') ? draft : task.includes('"entities"') ? entities : task.includes('"facts": [{') ? said.facts : said.narrative);
}
const word = (text, x) => ({ symbols: [...text].map((letter) => ({ text: letter })), confidence: 0.98,
  boundingBox: { vertices: [{ x, y: 10 }, { x: x + 80, y: 10 }, { x: x + 80, y: 30 }, { x, y: 30 }] } });

function answer(path, asked, manner) {
  if (path.endsWith("/chat/completions")) {
    return { id: "c", object: "chat.completion", model: asked.model, usage: { prompt_tokens: 40, completion_tokens: 2, total_tokens: 42 },
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: answerTo(asked.messages[0].content, manner) } }] };
  }
  if (path.endsWith("/v1/messages")) {
    return { id: "m", type: "message", role: "assistant", model: asked.model, stop_reason: "end_turn", usage: { input_tokens: 40, output_tokens: 2 },
      content: [{ type: "text", text: answerTo(asked.system, manner) }] };
  }
  return { responses: [{ fullTextAnnotation: { pages: [{ width: 1000, height: 1000, blocks: [{ paragraphs: [{
    words: [word("Metformin", 10), word("500", 120), word("mg", 220), word("twice", 320), word("daily", 420)] }] }] }] } }] };
}

http.createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { pathname } = new URL(request.url, "http://stand-in");
  const json = (status, value, headers = {}) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  if (pathname === "/manners") { manners.push(...JSON.parse(body)); return json(200, {}); }
  if (pathname === "/calls") return json(200, calls);
  const manner = manners.shift() ?? "ok";
  const { headers } = request;
  calls.push({ at: Date.now(), path: pathname, manner, key: headers.authorization ?? headers["x-api-key"] ?? headers["x-goog-api-key"], version: headers["anthropic-version"] });
  const good = answer(pathname, JSON.parse(body), manner);
  switch (manner) {
    case "429": return json(429, { error: { message: "slow down" } }, { "retry-after": "1" });
    case "500": return json(500, { error: { message: "oops" } });
    case "hang": return;
    case "html": return response.writeHead(200, { "content-type": "text/html" }).end("<html>not here</html>");
    case "truncated": return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(good).slice(0, -25));
    case "wrong": return json(200, JSON.parse(JSON.stringify(good).replaceAll("metformin", "x").replaceAll('\\"kind\\":', '\\"sort\\":').replaceAll('\\"sentences\\":', '\\"lines\\":').replaceAll('\\"sections\\":', '\\"parts\\":')));
    default: return json(200, good);
  }
}).listen(Number(process.argv[2]), "127.0.0.1");
