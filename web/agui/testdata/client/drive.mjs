// Lets one of AG-UI's own clients talk to a server, run by run, and prints what it saw.
//
//   node drive.mjs < plan.json
//
// plan: {url, token, client: "1" | "0", threadId, runs: [{
//   say, answer, resume, interrupt, leave, tools, context, state, props, messages, replay
// }]}. replay is the query of a replay, which the client is given in place of a run. The
// report is one JSON object; the test judges it.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

const plan = JSON.parse(readFileSync(0, "utf8"));
const one = plan.client === "1";
const { HttpAgent } = one ? await import("@ag-ui/client") : await import("ag-ui-client-0");
const schemas = one ? await import("@ag-ui/core/schemas") : await import("ag-ui-core-0");

const warnings = [];
console.warn = (...words) => warnings.push(words.map(String).join(" "));
console.error = (...words) => warnings.push(words.map(String).join(" "));

const headers = { Authorization: `Bearer ${plan.token}` };
let wire; // the bytes of the answer at hand
let status;
let replay; // the query, in a replay

// The client is given a copy of the answer while the other is kept as it came.
async function listen(url, init) {
  if (replay !== undefined) [url, init] = [`${plan.url}/agui/threads/${plan.threadId}/events${replay}`, { headers }];
  const response = await fetch(url, init);
  status = response.status;
  if (!response.ok) return response;
  const [mine, theirs] = response.body.tee();
  wire = new Response(mine).text().catch(() => "");
  return new Response(theirs, { status: response.status, headers: response.headers });
}

const agent = new HttpAgent({ url: `${plan.url}/agui`, headers, threadId: plan.threadId, fetch: listen });
// 0.0.59 has no option for it.
const nativeFetch = globalThis.fetch;
if (!one) {
  globalThis.fetch = (url, init) => {
    globalThis.fetch = nativeFetch;
    return listen(url, init).finally(() => (globalThis.fetch = hook));
  };
}
const hook = globalThis.fetch;

// frames reads a stream strictly: data lines and comments, ended by line feeds alone.
function frames(text) {
  const events = [];
  if (text.includes("\r")) warnings.push("the stream has a carriage return");
  for (const block of text.split("\n\n")) {
    for (const line of block.split("\n")) {
      if (line.startsWith("data: ")) events.push(JSON.parse(line.slice(6)));
      else if (line !== "" && !line.startsWith(":") && !(replay !== undefined && line.startsWith("id: "))) warnings.push(`a line of no form: ${line}`);
    }
  }
  return events;
}

let last = {}; // what the run before left open

async function step(run, n) {
  if (run.messages) agent.setMessages(run.messages);
  if (run.say !== undefined) agent.addMessage({ id: `said-${n}`, role: "user", content: run.say });
  if (run.answer !== undefined) {
    for (const id of last.pending ?? []) {
      agent.addMessage({ id: `answer-${n}-${id}`, role: "tool", toolCallId: id, content: run.answer });
    }
  }
  if (run.state !== undefined) agent.setState(run.state);
  const input = { runId: `run-${n}`, tools: run.tools ?? [], context: run.context ?? [], forwardedProps: run.props ?? {} };
  if (run.resume) input.resume = (last.interrupts ?? []).map((i) => ({ interruptId: i.id, ...run.resume }));
  const report = { finished: null, error: null, thrown: null, status: null };
  const handlers = {
    onEvent: ({ event }) => {
      if (run.interrupt && event.type === run.interrupt) {
        void nativeFetch(`${plan.url}/agui/threads/${plan.threadId}/interrupt`, { method: "POST", headers });
        run.interrupt = null;
      }
      if (run.leave && event.type === run.leave) agent.abortRun();
    },
    onRunFinishedEvent: ({ event, outcome, pendingToolCallIds }) => {
      report.finished = { event, outcome: outcome ?? null, pending: pendingToolCallIds ?? null };
    },
    onRunErrorEvent: ({ event }) => { report.error = event; },
  };
  replay = run.replay;
  wire = Promise.resolve("");
  try {
    await agent.runAgent(input, handlers);
  } catch (e) {
    report.thrown = String(e);
  }
  report.status = status;
  report.events = frames(await wire);
  report.schema = [];
  for (const event of report.events) {
    const parsed = schemas.EventSchemas.safeParse(event);
    if (!parsed.success) report.schema.push({ event, issues: parsed.error.issues });
  }
  const ended = report.finished?.event ?? {};
  const open = new Set(agent.messages.flatMap((m) => (m.toolCalls ?? []).map((c) => c.id)));
  for (const m of agent.messages) if (m.role === "tool") open.delete(m.toolCallId);
  last = { interrupts: ended.outcome?.interrupts, pending: [...open] };
  report.messages = structuredClone(agent.messages);
  return report;
}

const runs = [];
for (const [n, run] of plan.runs.entries()) runs.push(await step(run, n + 1));

// What the server says it can do has the shape that AG-UI gives it, and no more.
const capabilities = await (await nativeFetch(`${plan.url}/agui/capabilities`, { headers })).json();
if (one) {
  const parsed = schemas.AgentCapabilitiesSchema.safeParse(capabilities);
  if (!parsed.success) warnings.push(`capabilities: ${parsed.error}`);
  else if (!isDeepStrictEqual(parsed.data, capabilities)) warnings.push("capabilities have members that are not described");
}
process.stdout.write(JSON.stringify({ runs, warnings, state: agent.state ?? null }));
