// An agent of the OpenAI Agents SDK that has another as a tool, and hands the run over to a third. Its first argument
// is what is asked, with stream as its second the run is streamed.
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
const agent = new Agent({
  name: "Helper", model, tools: [reasoned(scout.asTool({ toolName: "scout", toolDescription: "Looks" }))],
  handoffs: [reasoned(handoff(billing, { toolNameOverride: "transfer_to_billing" }))],
});
const runner = report(new Runner(), { title: "My agent" }), [, , prompt, stream] = process.argv;
const run = await runner.run(agent, prompt, { stream: !!stream });
await run.completed;
console.log(run.finalOutput);
