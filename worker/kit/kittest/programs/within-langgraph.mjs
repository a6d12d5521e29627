// An agent of LangGraph that has another in a tool. Its first argument is what is asked.
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { CandorHandler, reasoned } from "candor-kit/langchain";
import { z } from "zod";
import { look } from "./tools.mjs";

const llm = new ChatOpenAI({
  model: "gpt-4o", apiKey: "none", configuration: { baseURL: process.env.OPENAI_BASE_URL }, maxRetries: 0,
});
const path = z.object({ path: z.string() }), input = z.object({ input: z.string() });
const scout = createReactAgent({
  llm, tools: [reasoned(tool(look, { name: "look", description: "Reads a file", schema: path }))],
});
const ask = async ({ input }, config) =>
  (await scout.invoke({ messages: [["user", input]] }, config)).messages.at(-1).content;
const agent = createReactAgent({
  llm, tools: [reasoned(tool(ask, { name: "scout", description: "Looks", schema: input }))],
});
const callbacks = [new CandorHandler({ title: "My agent" })];
const answer = await agent.invoke({ messages: [["user", process.argv[2]]] }, { callbacks });
console.log(answer.messages.at(-1).content);
