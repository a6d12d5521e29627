// An agent of the AI SDK that has another in a tool. Its first argument is what is asked, its second stream for the
// streamed form, its third the version.
import { candor, nested } from "candor-kit/ai-sdk";
import { z } from "zod";
import { look } from "./tools.mjs";

const [, , asked, way, version = ""] = process.argv;
const { generateText, stepCountIs, streamText, tool, wrapLanguageModel } = await import(`ai${version}`);
const { createOpenAI } = await import(version ? `openai${version}` : "@ai-sdk/openai");

const openai = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: "none" });
const wrapped = () => wrapLanguageModel({ model: openai.chat("gpt-5"), middleware: candor({ title: "My agent" }) });
async function run(prompt, tools) {
  const settings = { model: wrapped(), prompt, tools: nested(tools), stopWhen: stepCountIs(10) };
  return way === "stream" ? await streamText(settings).text : (await generateText(settings)).text;
}

const looks = { look: tool({ inputSchema: z.object({ path: z.string() }), execute: look }) };
const scout = tool({ inputSchema: z.object({ input: z.string() }), execute: ({ input }) => run(input, looks) });
console.log(await run(asked, { scout }));
