// An agent of the OpenAI Agents SDK that has another as a tool, and hands the run over to a third. Its first argument
// is what is asked. With stream as its second the run is streamed, with "by hand" the first tool runs the agent itself.
import { Agent, Runner, handoff, setDefaultOpenAIKey, setOpenAIAPI, setTracingDisabled, tool } from "@openai/agents";
import { reasoned, report } from "candor-kit/openai-agents";
import { z } from "zod";
import { look } from "./tools.mjs";

setTracingDisabled(true);
setDefaultOpenAIKey("none");
setOpenAIAPI("chat_completions");
const path = z.object({ path: z.string() }), model = "gpt-4o";
const tools = [reasoned(tool({ name: "look", description: "Reads a file", parameters: path, execute: look }))];
const scout = new Agent({ name: "Scout", model, tools }), billing = new Agent({ name: "Billing", model, tools });
// By hand the tool runs the agent itself, with the same runner.
const byHand = tool({
  name: "scout", description: "Looks", parameters: z.object({ input: z.string() }),
  execute: async ({ input }) => (await runner.run(scout, input)).finalOutput,
});
const asTool = scout.asTool({ toolName: "scout", toolDescription: "Looks" });
const agent = new Agent({
  name: "Helper", model, tools: [reasoned(process.argv[3] === "by hand" ? byHand : asTool)],
  handoffs: [reasoned(handoff(billing, { toolNameOverride: "transfer_to_billing" }))],
});
const runner = report(new Runner(), { title: "My agent" }), [, , prompt, way] = process.argv;
const run = await runner.run(agent, prompt, { stream: way === "stream" });
await run.completed;
console.log(run.finalOutput);
