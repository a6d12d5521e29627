// An agent without a library: a loop that asks a model, and tells the kit.
import { Job, takeReason, withReason } from "../../typescript/client.js";
import { count, look, prompt } from "./tools.mjs";

const does = { look, count };
const parameters = (name) =>
  withReason({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });
const tools = [["look", parameters("path")], ["count", parameters("text")]]
  .map(([name, schema]) => ({ type: "function", function: { name, parameters: schema } }));
const messages = [{ role: "user", content: prompt }];
const job = new Job({ prompt });
for (;;) {
  const answer = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`,
    { method: "POST", body: JSON.stringify({ model: "gpt-5", messages, tools }) });
  const { choices: [{ message }], usage } = await answer.json();
  messages.push(message);
  const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => {
    const { reason, rest } = takeReason(JSON.parse(args));
    return { id, name, input: rest, reason };
  });
  const used = { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens };
  job.answered({ text: message.content, calls, usage: used });
  for (const { id, name, input } of calls) {
    const begun = performance.now();
    let content;
    try {
      content = does[name](input);
      job.returned({ id, name, output: content, begun });
    } catch (error) {
      content = error.message;
      job.returned({ id, name, error, begun });
    }
    messages.push({ role: "tool", tool_call_id: id, content });
  }
  if (calls.length) continue;
  await job.end({ message: message.content });
  console.log(message.content);
  break;
}
