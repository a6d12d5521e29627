// Plays one of the plans below with the official client against a server: node client.mjs PLAN COMMAND [ARGUMENTS].
// Where the server lists a tool with the property rationale, each call of it gives a reason, at some place among its
// arguments. It prints the reasons that it gave, one a line.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import * as types from "@modelcontextprotocol/sdk/types.js";

const [plan, command, ...args] = process.argv.slice(2);
const transport = new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" });
const client = new Client({ name: "Test Client", version: "1.2.3" },
  { capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } } });

// What the server asks of the client.
let asked;
const rooted = new Promise((done) => { asked = done; });
client.setRequestHandler(types.ListRootsRequestSchema, () => { asked(); return { roots: [] }; });
client.setRequestHandler(types.CreateMessageRequestSchema, () => ({
  model: "stand-in", role: "assistant", content: { type: "text", text: "Sampled: \"ünï\" \u2028 <b>" } }));
client.setRequestHandler(types.ElicitRequestSchema, () => ({ action: "decline" }));

let tools = {};
let calls = 0;

/** Calls a tool, with a reason where there is a property for it, and takes an error for an answer. */
async function call(name, given, options) {
  const args = Object.entries(given ?? {});
  if (tools[name]?.inputSchema.properties?.rationale) {
    const reason = `Call ${++calls}: "why" not, \\ ü?`;
    args.splice(calls % (args.length + 1), 0, ["rationale", reason]);
    console.log(`${name}\t${reason}`);
  }
  try {
    return await client.callTool({ name, arguments: Object.fromEntries(args) }, undefined, options);
  } catch (error) {
    return error;
  }
}

/** Lists the tools, page by page. */
async function list() {
  tools = {};
  for (let cursor; ;) {
    const page = await client.listTools(cursor ? { cursor } : undefined);
    for (const tool of page.tools) tools[tool.name] = tool;
    if (!(cursor = page.nextCursor)) return;
  }
}

const plans = {
  async everything() {
    await rooted;
    await list();
    await call("echo", { message: "quotes \" and \\ and \u0000 and 日本 and rationale" });
    await call("echo", { message: { rationale: "nested" } });
    await call("echo");
    await call("get-sum", { a: 1.5e300, b: -0 });
    await call("get-sum", { a: "no number" });
    await call("no-such-tool", { a: 1 });
    await call("get-tiny-image");
    await call("get-structured-content", { location: "Chicago" });
    await call("get-annotated-message", { messageType: "error", includeImage: true });
    await call("get-resource-links", { count: 3 });
    await call("get-resource-reference", { resourceType: "Text", resourceId: 1 });
    await call("trigger-long-running-operation", { duration: 0.2, steps: 4 }, { onprogress() {} });
    await call("trigger-sampling-request", { prompt: "say it", maxTokens: 10 });
    await call("trigger-elicitation-request");
    const stop = new AbortController();
    const stopped = call("trigger-long-running-operation", { duration: 1, steps: 1 }, { signal: stop.signal });
    setTimeout(() => stop.abort("enough"), 100);
    await stopped;
    for (const ask of [() => client.listResources(), () => client.listResourceTemplates(), () => client.listPrompts(),
      () => client.getPrompt({ name: "simple-prompt" }), () => client.readResource({ uri: "demo://nothing" }),
      () => client.setLoggingLevel("warning"), () => client.ping(),
      () => client.request({ method: "tools/unknown", params: { arguments: { rationale: "kept" } } },
        types.ResultSchema)]) {
      await ask().catch(() => {});
    }
    await list();
  },
  async tasks() {
    await rooted;
    await list();
    const given = { topic: "tea", rationale: 'Call 1: "why" not?' };
    console.log(`simulate-research-query\t${given.rationale}`);
    const stream = client.experimental.tasks.callToolStream(
      { name: "simulate-research-query", arguments: given }, types.CallToolResultSchema, { task: { ttl: 60000 } });
    for await (const { type, result } of stream) {
      if (type === "result") console.log(`result\t${result.content[0].text.length > 0}`);
    }
  },
  async filesystem() {
    const dir = args.at(-1);
    await list();
    await call("write_file", { path: `${dir}/a.txt`, content: "one\ntwo\r\n" + "long ".repeat(100000) });
    await call("read_text_file", { path: `${dir}/a.txt` });
    await call("edit_file", { path: `${dir}/a.txt`, edits: [{ oldText: "one", newText: "rationale" }] });
    await call("directory_tree", { path: dir });
    await call("read_text_file", { path: "/etc/hostname" });
    await call("read_multiple_files", { paths: [`${dir}/a.txt`, `${dir}/none`] });
  },
  async memory() {
    await list();
    await call("create_entities", { entities: [{ name: "ann", entityType: "person", observations: ["likes tea"] }] });
    await call("add_observations", { observations: [{ entityName: "nobody", contents: ["x"] }] });
    await call("create_relations", { relations: [{ from: "ann", to: "ann", relationType: "knows" }] });
    await call("search_nodes", { query: "tea" });
    await call("read_graph");
    await Promise.all([1, 2, 3, 4].map((n) => call("open_nodes", { names: [`n${n}`] })));
  },
};

await client.connect(transport);
await plans[plan]();
await client.close();
process.exit(0); // a task leaves a timer of minutes behind
