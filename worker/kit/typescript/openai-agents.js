// Hooks for the OpenAI Agents SDK for JavaScript. Each run of the runner becomes a job:
//
//     const runner = report(new Runner(), { title: "My agent" });
//     const agent = new Agent({ name: "Helper", tools: [reasoned(search), reasoned(scout.asTool({ … }))] });
//     await runner.run(agent, "Which file is stale?");
//
// What an agent does within a call of a reasoned tool stands below the call. That, and what the model says before its
// calls, is known of models that the runner finds by name, not of objects that an agent was given as its model.
import { Job, innerName, safely, takeReason, within, withReason } from "./client.js";
import { called, watchModels } from "./openai-models.js";

// How the SDK tells of a tool that threw, unless the tool has an errorFunction of its own. Hooks hear no more.
const failure = "An error occurred while running the tool.";
const maxAnswers = 1000; // calls whose answers are kept until they begin

/** Returns a tool, or a handoff, like the given one that asks for a reason, and takes it out before it runs. */
export function reasoned(tool) {
  const own = tool.onInvokeHandoff ? tool.inputJsonSchema : tool.parameters, schema = withReason(own);
  const without = (input) => (schema !== own ? takeReason(input).rest : input);
  if (tool.onInvokeHandoff) {
    const onInvokeHandoff = (context, input) => tool.onInvokeHandoff(context, without(input));
    return Object.assign(Object.create(tool), { inputJsonSchema: schema, onInvokeHandoff });
  }
  const invoke = async (context, input, details) => {
    const id = details?.toolCall?.callId, outer = within.getStore();
    const call = { id, name: tool.name, outer, begun: performance.now() };
    const output = await within.run(call, () => tool.invoke(context, without(input), details));
    if (outer?.run) returned(outer.run, call, output, outer.agent);
    return output;
  };
  return { ...tool, parameters: schema, invoke };
}

const returned = safely((run, call, output, agent) => {
  const ended = String(output).startsWith(failure) ? { error: output } : { output };
  run.job?.returned({ id: call.id, name: call.name, begun: call.begun, agent, ...ended });
});

/** Lets a runner report its runs, and returns it. The options are those of Job. */
export function report(runner, options = {}) {
  const runs = new WeakMap(); // by the context of a run
  const answers = new Map(); // of the model, by the ids of their calls that have not begun
  const running = new Map(); // runs by their calls that have begun and not ended
  const stops = []; // of the last answers without calls
  watchModels(runner.config, (answer) => {
    const call = within.getStore();
    if (call) return tellInner(call, answer);
    for (const { callId } of answer.calls) answers.set(callId, answer);
    for (const old of answers.keys()) if (answers.size > maxAnswers) answers.delete(old);
    if (!answer.calls.length) stops.unshift(answer);
    stops.splice(100);
  });

  // Tells an answer of an agent within a call.
  const tellInner = (call, answer) => {
    call.run = call.outer ? call.outer.run : running.get(call.id);
    if (!call.run) return;
    call.agent ??= innerName(call.run.names, call.outer?.agent ?? call.run.calls.get(call.id)?.agent, call.name);
    tell(call.run, answer, { agent: call.agent, caller: call.id });
  };
  const tell = (run, answer, who) => {
    run.job?.answered({ ...answer, ...who, calls: answer.calls.map(called) });
    run.input += answer.usage?.input_tokens ?? 0;
    run.output += answer.usage?.output_tokens ?? 0;
  };
  // Tells the answer of a call of a run's agent, unless another call of it has.
  const tellOf = (run, call, who) => {
    const answer = answers.get(call.callId) ?? { calls: [call] };
    if (!answer.told) tell(run, answer, who);
    answer.told = true;
    answers.delete(call.callId);
  };

  const runOf = (context) => {
    const begun = () => ({ calls: new Map(), who: new Map(), names: new Map(), input: 0, output: 0 });
    if (!runs.has(context)) runs.set(context, begun());
    return runs.get(context);
  };
  // What a run within a call does is known of its models, if they are watched.
  const on = (event, does) => runner.on(event, safely((...args) => within.getStore()?.run || does(...args)));
  on("agent_start", (context, agent, input) => {
    const run = runOf(context);
    if (!run.who.size) run.who.set(agent.name, {});
    run.job ??= new Job({ prompt: asked(input), ...options });
  });
  on("agent_tool_start", (context, agent, tool, { toolCall }) => {
    const run = runOf(context), who = run.who.get(agent.name);
    tellOf(run, toolCall, who);
    running.set(toolCall.callId, run);
    run.calls.set(toolCall.callId, { begun: performance.now(), agent: who?.agent });
  });
  on("agent_tool_end", (context, agent, tool, result, { toolCall: { callId: id } }) => {
    const run = runOf(context), { begun, agent: name } = run.calls.get(id) ?? {};
    returned(run, { id, name: tool.name, begun }, result, name);
    run.calls.delete(id);
    running.delete(id);
  });
  on("agent_handoff", (context, agent, to) => {
    const run = runOf(context), who = run.who.get(agent.name);
    const usual = `transfer_to_${to.name.replace(/[^a-zA-Z0-9]/g, "_")}`;
    const name = agent.handoffs?.find((h) => h.agent?.name === to.name)?.toolName ?? usual;
    // The hook does not say which call it is. Of runs side by side it may be each.
    const waiting = [...answers.values()].flatMap((answer) => answer.calls)
      .filter((call) => answers.has(call.callId) && call.name === name);
    if (waiting.length !== 1) return;
    const [call] = waiting;
    tellOf(run, call, who);
    returned(run, { id: call.callId, name }, { assistant: to.name }, who?.agent);
    const path = who?.agent ? `${who.agent}/${to.name}` : to.name;
    if (!run.who.has(to.name)) run.who.set(to.name, { agent: path, caller: call.callId });
  });
  on("agent_end", (context, agent, output) => {
    const { job, input, output: used, who } = runOf(context);
    const text = typeof output === "string" ? output : JSON.stringify(output);
    const last = stops.find((answer) => answer.text === text), all = context.usage ?? {};
    // What the answers before did not take was taken by this one.
    const left = (sum, taken) => Math.max(0, sum - taken) || undefined;
    const rest = { input_tokens: left(all.inputTokens, input), output_tokens: left(all.outputTokens, used) };
    job?.answered({ text, usage: last?.usage ?? rest, stop: last?.stop, agent: who.get(agent.name)?.agent });
    void job?.end({ message: text });
    runs.delete(context);
  });
  return runner;
}

// Returns what was asked: a text, or the last message of a person.
function asked(input) {
  if (!Array.isArray(input)) return typeof input === "string" ? input : "";
  const content = input.findLast((item) => item.role === "user")?.content ?? "";
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}
