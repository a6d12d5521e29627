// A middleware for the models of Vercel's AI SDK, versions 6 and 7. Each run of an agent becomes a job:
//
//     const model = wrapLanguageModel({ model: openai("gpt-5"), middleware: candor({ title: "My agent" }) });
//
// It asks the model for a reason with each call, and takes it out before the SDK sees the call. What came of a call is
// in the next request, so that a run which ends with its calls, as stopWhen can have it, shows them as open.
//
// What an agent does within a call of nested({ scout: tool(…) }) stands below the call.
import { Job, asksReason, innerName, safely, takeReason, within, withReason } from "./client.js";

const maxRuns = 1000; // calls whose results are awaited; the oldest runs are given up
const open = new Map(); // runs by the ids of their calls that have no result yet

/** Returns tools like the given ones that let the models which they call know the call. */
export function nested(tools) {
  const inside = (name, { execute, ...tool }) => (!execute ? tool : {
    ...tool, execute: (input, options) => within.run({ id: options?.toolCallId, name }, () => execute(input, options)),
  });
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, inside(name, tool)]));
}

/** Returns the middleware. The options are those of Job; the prompt is the user's message unless it is given. */
export function candor(options = {}) {
  return {
    specificationVersion: "v3",
    transformParams: async ({ params }) => {
      const reasoned = (t) => (t.type === "function" ? { ...t, inputSchema: withReason(t.inputSchema) } : t);
      return params.tools ? { ...params, tools: params.tools.map(reasoned) } : params;
    },
    wrapGenerate: async ({ doGenerate, params }) => {
      const run = runOf(params, options);
      const result = await doGenerate();
      const content = result.content.map((part) => taken(part, params));
      report(run, content, result);
      return { ...result, content: content.map(({ part }) => part) };
    },
    wrapStream: async ({ doStream, params }) => {
      const run = runOf(params, options);
      const { stream, ...rest } = await doStream();
      const told = (content, finish) => report(run, content, finish);
      return { ...rest, stream: stream.pipeThrough(watched(params, told)) };
    },
  };
}

// Returns a part of an answer without its reason, and the reason.
function taken(part, params) {
  const tool = part.type === "tool-call" && params.tools?.find((t) => t.name === part.toolName);
  if (!tool || !asksReason(tool.inputSchema)) return { part, reason: "" };
  const { reason, rest } = takeReason(part.input);
  return { part: { ...part, input: rest }, reason };
}

// Finds the run that a request goes on with, by the results that it brings, or begins one.
const runOf = safely((params, options) => {
  const results = params.prompt.filter((m) => m.role === "tool").flatMap((m) => m.content)
    .filter((part) => part.type === "tool-result");
  let run;
  for (const { toolCallId, toolName, output } of results) {
    const of = open.get(toolCallId);
    if (!of) continue;
    run = of;
    open.delete(toolCallId);
    const failed = output.type.startsWith("error") || output.type === "execution-denied";
    const value = output.value ?? output.reason ?? "";
    const ended = failed ? { error: asText(value) } : { output: value };
    run.job.returned({ id: toolCallId, name: toolName, agent: run.who.agent, ...ended });
  }
  if (run) return run;
  const call = within.getStore(), outer = open.get(call?.id);
  if (outer) return { ...outer, who: { agent: innerName(outer.names, outer.who.agent, call.name), caller: call.id } };
  const asked = params.prompt.findLast((m) => m.role === "user")?.content.filter((part) => part.type === "text");
  const job = new Job({ prompt: asked?.map((part) => part.text).join("\n"), ...options });
  return { job, names: new Map(), who: {} };
});

const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value));

// Tells an answer. The one without calls ends the run.
const report = safely((run, content, { usage, finishReason }) => {
  const texts = (type) => content.filter(({ part }) => part.type === type).map(({ part }) => part.text).join("");
  const calls = content.filter(({ part }) => part.type === "tool-call" && !part.providerExecuted)
    .map(({ part, reason }) => ({ id: part.toolCallId, name: part.toolName, input: parsed(part.input), reason }));
  const text = texts("text");
  const stop = stopOf(finishReason), thoughts = texts("reasoning");
  run.job.answered({ text, thoughts, calls, usage: sums(usage), stop, ...run.who });
  for (const { id } of calls) open.set(id, run);
  for (const old of open.keys()) if (open.size > maxRuns) open.delete(old);
  if (!calls.length && !run.who.caller) void run.job.end({ message: text });
});

// Version 6 has the SDK's word, and the provider's, which says more of an unusual end. Versions before have the first.
function stopOf(reason) {
  const word = reason?.unified ?? reason;
  return !reason?.raw || word === "stop" || word === "tool-calls" ? word : `${word}/${reason.raw}`;
}

// Version 6 counts in members of their own, versions before in numbers.
function sums(usage) {
  const of = (tokens) => tokens?.total ?? (typeof tokens === "number" ? tokens : undefined);
  return usage && { input_tokens: of(usage.inputTokens), output_tokens: of(usage.outputTokens) };
}

function parsed(json) {
  try { return JSON.parse(json || "{}"); } catch { return json; }
}

// Gathers a stream's answer. The arguments of a call are passed on at their end, since only then the reason can be
// taken out of them.
function watched(params, told) {
  const content = [], inputs = new Map(), names = new Map();
  const add = (type, text) => {
    if (content.at(-1)?.part.type === type) content.at(-1).part.text += text;
    else content.push({ part: { type, text } });
  };
  return new TransformStream({
    transform(part, out) {
      if (part.type === "text-delta") add("text", part.delta);
      if (part.type === "reasoning-delta") add("reasoning", part.delta);
      if (part.type === "tool-input-start") names.set(part.id, part.toolName);
      if (part.type === "tool-input-delta") return void inputs.set(part.id, (inputs.get(part.id) ?? "") + part.delta);
      if (part.type === "tool-input-end" && inputs.has(part.id)) {
        const whole = { type: "tool-call", toolName: names.get(part.id), input: inputs.get(part.id) };
        out.enqueue({ type: "tool-input-delta", id: part.id, delta: taken(whole, params).part.input });
      }
      if (part.type === "tool-call") content.push(taken(part, params));
      if (part.type === "finish") told(content, part);
      out.enqueue(part.type === "tool-call" ? content.at(-1).part : part);
    },
  });
}
