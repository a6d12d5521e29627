// Hooks for the OpenAI Agents SDK for JavaScript. Each run of the runner becomes a job:
//
//     const runner = report(new Runner(), { title: "My agent" });
//     const agent = new Agent({ name: "Helper", tools: [reasoned(search)] });
//     await runner.run(agent, "Which file is stale?");
//
// What the model says before its calls is known of models that the runner finds by name, not of objects that an
// agent was given as its model.
import { Job, asksReason, safely, takeReason, withReason } from "./client.js";

// How the SDK tells of a tool that threw, unless the tool has an errorFunction of its own. Hooks hear no more.
const failure = "An error occurred while running the tool.";
const maxAnswers = 1000; // calls whose answers are kept until they begin

/** Returns a tool like the given one that asks the model for a reason, and takes it out before the tool runs. */
export function reasoned(tool) {
  const parameters = withReason(tool.parameters);
  if (!asksReason(parameters)) return tool;
  const invoke = (context, input, details) => tool.invoke(context, takeReason(input).rest, details);
  return { ...tool, parameters, invoke };
}

/** Lets a runner report its runs, and returns it. The options are those of Job. */
export function report(runner, options = {}) {
  const runs = new WeakMap(); // by the context of a run
  const answers = new Map(); // of the model, by the ids of their calls
  watchModels(runner.config, answers);

  const runOf = (context) => {
    if (!runs.has(context)) runs.set(context, { begun: new Map(), input: 0, output: 0 });
    return runs.get(context);
  };
  const on = (event, does) => runner.on(event, safely(does));
  on("agent_start", (context, agent, input) => {
    const run = runOf(context);
    run.first ??= agent.name;
    run.job ??= new Job({ prompt: asked(input), ...options });
  });
  on("agent_tool_start", (context, agent, tool, { toolCall }) => {
    const run = runOf(context);
    const answer = answers.get(toolCall.callId) ?? { calls: [toolCall] };
    // The first call of an answer tells of all of them.
    if (!answer.told) {
      run.job?.answered({ ...answer, agent: nameOf(run, agent), calls: answer.calls.map(called) });
      answer.told = true;
      run.input += answer.usage?.input_tokens ?? 0;
      run.output += answer.usage?.output_tokens ?? 0;
    }
    answers.delete(toolCall.callId);
    run.begun.set(toolCall.callId, performance.now());
  });
  on("agent_tool_end", (context, agent, tool, result, { toolCall }) => {
    const run = runOf(context);
    const ended = String(result).startsWith(failure) ? { error: result } : { output: result };
    run.job?.returned({
      id: toolCall.callId, name: tool.name, begun: run.begun.get(toolCall.callId), agent: nameOf(run, agent), ...ended,
    });
    run.begun.delete(toolCall.callId);
  });
  on("agent_end", (context, agent, output) => {
    const { job, input, output: used } = runOf(context);
    const text = typeof output === "string" ? output : JSON.stringify(output);
    // What the answers before did not take was taken by this one.
    const all = context.usage ?? {};
    job?.answered({ text, usage: { input_tokens: all.inputTokens - input, output_tokens: all.outputTokens - used } });
    void job?.end({ message: text });
    runs.delete(context);
  });
  return runner;
}

const nameOf = (run, agent) => (agent.name === run.first ? undefined : agent.name);

// Returns a call of the SDK as one of Job.
function called({ callId, name, arguments: args }) {
  const { reason, rest } = takeReason(args);
  let input = rest;
  try { input = JSON.parse(rest || "{}"); } catch { /* it is told as it is */ }
  return { id: callId, name, input, reason };
}

// Has the models that a runner finds by name tell what they answered.
function watchModels(config, answers) {
  const provider = config?.modelProvider;
  if (!provider?.getModel) return;
  const note = safely((response) => {
    const output = response?.output ?? [];
    const calls = output.filter((item) => item.type === "function_call");
    const text = output.filter((item) => item.type === "message").flatMap((item) => item.content)
      .map((part) => part.text ?? "").join("");
    const used = response?.usage;
    const usage = used && { input_tokens: used.inputTokens, output_tokens: used.outputTokens };
    const answer = { text, calls, usage };
    for (const { callId } of calls) answers.set(callId, answer);
    for (const old of answers.keys()) if (answers.size > maxAnswers) answers.delete(old);
  });
  config.modelProvider = Object.assign(Object.create(provider), {
    getModel: async (name) => {
      const model = await provider.getModel(name);
      return Object.assign(Object.create(model), {
        getResponse: async (request) => {
          const response = await model.getResponse(request);
          note(response);
          return response;
        },
        getStreamedResponse: async function* (request) {
          for await (const event of model.getStreamedResponse(request)) {
            if (event.type === "response_done") note(event.response);
            yield event;
          }
        },
      });
    },
  });
}

// Returns what was asked: a text, or the last message of a person.
function asked(input) {
  if (!Array.isArray(input)) return typeof input === "string" ? input : "";
  const content = input.findLast((item) => item.role === "user")?.content ?? "";
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}
