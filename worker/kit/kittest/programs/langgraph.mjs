// An agent of LangGraph, with LangChain's model.
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { CandorHandler, reasoned } from "candor-kit/langchain";
import { z } from "zod";
import { count, look, prompt } from "./tools.mjs";

const llm = new ChatOpenAI({
  model: "gpt-4o", apiKey: "none", configuration: { baseURL: process.env.OPENAI_BASE_URL }, maxRetries: 0,
});
const tools = [
  reasoned(tool(look, { name: "look", description: "Reads a file", schema: z.object({ path: z.string() }) })),
  reasoned(tool(count, { name: "count", description: "Counts letters", schema: z.object({ text: z.string() }) })),
];
const agent = createReactAgent({ llm, tools });
const callbacks = [new CandorHandler({ title: "My agent" })];
const answer = await agent.invoke({ messages: [["user", prompt]] }, { callbacks });
console.log(answer.messages.at(-1).content);
