// Uses all that the kit exports as a program in TypeScript would. It is only checked, not run.
import { openai } from "@ai-sdk/openai";
import { tool as lc } from "@langchain/core/tools";
import { Agent, Runner, handoff, tool } from "@openai/agents";
import { generateText, tool as sdkTool, wrapLanguageModel } from "ai";
import { Job, takeReason, withReason } from "candor-kit";
import { candor, nested } from "candor-kit/ai-sdk";
import { CandorHandler, reasoned as reasonedLC } from "candor-kit/langchain";
import { reasoned, report } from "candor-kit/openai-agents";
import { z } from "zod";

export const model = wrapLanguageModel({ model: openai.chat("gpt-5"), middleware: candor({ title: "x" }) });
export const handler = new CandorHandler({ title: "x" });
const schema = z.object({ path: z.string() });
export const chained = reasonedLC(lc(({ path }: { path: string }) => path, { name: "look", schema }));
const tools = nested({ look: sdkTool({ inputSchema: schema, execute: async ({ path }) => path }) });
export const answered = generateText({ model, tools, prompt: "x" });
const look = tool({ name: "look", description: "", parameters: schema, execute: ({ path }) => path });
const scout = new Agent({ name: "Scout", tools: [reasoned(look)] });
export const agent = new Agent({
  name: "Helper", tools: [reasoned(scout.asTool({ toolName: "scout" }))], handoffs: [reasoned(handoff(scout))],
});
export const runner: Runner = report(new Runner(), { title: "x" });
const job = new Job({ title: "x" });
job.answered({ text: "", calls: [{ id: "a", name: "look", ...takeReason({ path: "x" }) }] });
await job.end();
withReason({});
