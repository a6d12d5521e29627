// An agent of the AI SDK. Its first argument is stream for the streamed form, its second the version.
import { candor } from "candor-kit/ai-sdk";
import { z } from "zod";
import { count, look, prompt } from "./tools.mjs";

const version = process.argv[3] ?? "";
const { generateText, stepCountIs, streamText, tool, wrapLanguageModel } = await import(`ai${version}`);
const { createOpenAI } = await import(version ? `openai${version}` : "@ai-sdk/openai");

const openai = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: "none" });
const model = wrapLanguageModel({ model: openai.chat("gpt-5"), middleware: candor({ title: "My agent" }) });
const tools = {
  look: tool({ description: "Reads a file", inputSchema: z.object({ path: z.string() }), execute: look }),
  count: tool({ description: "Counts letters", inputSchema: z.object({ text: z.string() }), execute: count }),
};
const settings = { model, tools, prompt, stopWhen: stepCountIs(10) };
if (process.argv[2] === "stream") {
  const deltas = [];
  for await (const part of streamText(settings).fullStream) {
    if (part.type === "error") throw part.error;
    if (part.type === "tool-input-delta") deltas.push(part.delta ?? part.inputTextDelta ?? "");
    if (part.type === "text-delta") process.stdout.write(part.text ?? part.delta);
  }
  if (deltas.join("").includes("rationale")) throw new Error("a stream has the reason");
} else {
  console.log((await generateText(settings)).text);
}
