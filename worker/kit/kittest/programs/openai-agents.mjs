// An agent of the OpenAI Agents SDK. With stream as its first argument the run is streamed.
import { Agent, Runner, setDefaultOpenAIKey, setOpenAIAPI, setTracingDisabled, tool } from "@openai/agents";
import { reasoned, report } from "candor-kit/openai-agents";
import { z } from "zod";
import { count, look, prompt } from "./tools.mjs";

setTracingDisabled(true);
setDefaultOpenAIKey("none");
setOpenAIAPI("chat_completions");
const path = z.object({ path: z.string() }), text = z.object({ text: z.string() });
const tools = [
  reasoned(tool({ name: "look", description: "Reads a file", parameters: path, execute: look })),
  reasoned(tool({ name: "count", description: "Counts letters", parameters: text, execute: count })),
];
const runner = report(new Runner(), { title: "My agent" });
const agent = new Agent({ name: "Helper", model: "gpt-4o", instructions: "Look at the files.", tools });
if (process.argv[2] === "stream") {
  const run = await runner.run(agent, prompt, { stream: true });
  await run.completed;
  console.log(run.finalOutput);
} else {
  console.log((await runner.run(agent, prompt)).finalOutput);
}
