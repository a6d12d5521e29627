// A callback handler for LangChain.js and LangGraph.js. Each run becomes a job:
//
//     const look = reasoned(tool(search, { name: "search", schema }));
//     await agent.invoke({ messages }, { callbacks: [new CandorHandler({ title: "My agent" })] });
//
// With a job of your own, new CandorHandler(options, job), all runs are told there, and you end it. What an agent does
// within a call of a tool stands below the call.
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { Job, asksReason, innerName, takeReason, withReason } from "./client.js";

/** Returns a tool like the given one that asks the model for a reason, and takes it out before the tool runs. */
export function reasoned(tool) {
  const schema = withReason(toJsonSchema(tool.schema));
  if (!asksReason(schema)) return tool;
  const without = (input) =>
    (input?.type === "tool_call" ? { ...input, args: takeReason(input.args).rest } : takeReason(input).rest);
  const invoke = (input, config) => tool.invoke(without(input), config);
  return Object.assign(Object.create(tool), { schema, invoke, call: invoke });
}

export class CandorHandler extends BaseCallbackHandler {
  name = "candor";
  awaitHandlers = true; // nothing waits here, and reasons stand before what their calls do
  #options; #job;
  #runs = new Map(); // the agents of runs, by the runs' ids: job, asked (calls that no tool has begun), and who it is
  #calls = new Map(); // runs of tools by id
  #names = new Map(); // of agents within calls

  constructor(options = {}, job = undefined) {
    super();
    this.#options = options;
    this.#job = job;
  }

  copy() { return this; } // runs are told apart by their ids

  #begin(run, parent, prompt) {
    const call = this.#calls.get(parent), of = this.#runs.get(parent);
    if (call) { // of a tool, which so calls a model: that is another agent
      const who = () => ({ agent: innerName(of.names, of.agent, call.name), caller: call.id, asked: [] });
      this.#runs.set(run, call.inner ??= { ...of, root: undefined, ...who() });
    } else {
      const first = () => ({
        root: run, job: this.#job ?? new Job({ prompt: asked(prompt), ...this.#options }),
        names: this.#job ? this.#names : new Map(), asked: [],
      });
      this.#runs.set(run, of ?? first());
    }
  }

  #over(run, result) {
    const of = this.#runs.get(run);
    this.#runs.delete(run);
    if (of?.root === run && !this.#job) void of.job.end(result);
  }

  handleChainStart(chain, inputs, run, parent) { this.#begin(run, parent, inputs?.messages ?? inputs?.input); }
  handleChainEnd(outputs, run) { this.#over(run, { message: textOf(outputs?.messages?.at?.(-1) ?? outputs) }); }
  handleChainError(failure, run) { this.#over(run, { success: false, message: String(failure?.message ?? failure) }); }
  handleChatModelStart(model, messages, run, parent) { this.#begin(run, parent, messages?.[0]); }
  handleLLMError(failure, run) { this.#over(run, { success: false, message: String(failure?.message ?? failure) }); }

  handleLLMEnd(output, run) {
    const of = this.#runs.get(run);
    const message = output.generations[0]?.[0]?.message;
    const calls = (message?.tool_calls ?? []).map(({ id, name, args }) => {
      const { reason, rest } = takeReason(args);
      return { id, name, input: rest, reason };
    });
    const used = message?.usage_metadata;
    const usage = used && { input_tokens: used.input_tokens, output_tokens: used.output_tokens };
    if (of) {
      const { agent, caller } = of;
      of.job.answered({ text: textOf(message), calls, usage, agent, caller, stop: stopOf(message) });
      of.asked = [...of.asked, ...calls].slice(-100);
    }
    // A model that is called by itself is the root; its calls are told by the next run of a loop of one's own.
    this.#over(run, { message: textOf(message) });
  }

  handleToolStart(tool, input, run, parent, tags, metadata, name, callId) {
    this.#begin(run, parent, name);
    const list = this.#runs.get(run).asked;
    // Versions before 1.0 do not say which call it is: then it is the oldest of that tool.
    const at = list.findIndex((c) => (callId ? c.id === callId : c.name === name));
    const [call] = at < 0 ? [{ id: callId, name }] : list.splice(at, 1);
    this.#calls.set(run, { ...call, begun: performance.now() });
  }

  handleToolEnd(output, run) {
    const failed = output?.status === "error";
    this.#returned(run, failed ? { error: textOf(output) } : { output: output?.content ?? output });
  }
  handleToolError(failure, run) { this.#returned(run, { error: failure }); }

  #returned(run, ended) {
    const call = this.#calls.get(run), of = this.#runs.get(run);
    this.#calls.delete(run);
    if (call) of?.job.returned({ id: call.id, name: call.name, begun: call.begun, agent: of.agent, ...ended });
    this.#over(run, {});
  }
}

// Returns the text of a message, or of what a graph returned.
function textOf(message) {
  const content = message?.content ?? message;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part) => part?.text ?? "").join("") : "";
}

// Returns why the model stopped, as its provider's package has it among what it says of a message.
function stopOf(message) {
  const about = message?.response_metadata ?? {};
  if (message?.additional_kwargs?.refusal) return "refusal";
  return about.incomplete_details?.reason ?? about.finish_reason ?? about.stop_reason ?? about.finishReason ??
    about.stopReason ?? about.done_reason ?? undefined;
}

// Returns what was asked: the last of the messages, which may be objects, pairs or a text.
function asked(prompt) {
  const last = Array.isArray(prompt) ? prompt.at(-1) : prompt;
  return textOf(Array.isArray(last) ? last[1] : last);
}
