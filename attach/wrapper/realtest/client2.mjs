// Plays a plan with the official SDK's second client, pinned to a revision: node client2.mjs URL, or COMMAND with
// ARGUMENTS. It prints what it sees, a line of JSON each. Where the server lists a tool with the property rationale,
// calls of it give a reason.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';

const [target, ...args] = process.argv.slice(2);
const transport = target.startsWith('http') ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args, env: process.env, stderr: 'inherit' });
const client = new Client({ name: 'Second Client', version: '2.1.0' }, {
  capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } });

const say = (what, value) => console.log(JSON.stringify({ what, value }));
client.setRequestHandler('elicitation/create', ({ params }) => {
  say('asked', params.message);
  return { action: 'accept', content: { sure: true } };
});

let tools = {};

/** Calls a tool, with a reason where there is a property for it, and prints what comes. */
async function call(name, given = {}, options = {}, _meta = undefined) {
  const asked = tools[name]?.inputSchema.properties?.rationale && !_meta; // which has the reason
  const mine = asked ? { rationale: `Call ${name}: why not?` } : {};
  try {
    say(name, await client.callTool({ name, arguments: { ...mine, ...given }, ...(_meta && { _meta }) }, options));
  } catch (error) {
    say(name, { failed: error.message, code: error.code });
  }
}

await client.connect(transport);
say('server', client.getServerVersion());
const list = await client.listTools();
say('tools', list.tools);
tools = Object.fromEntries(list.tools.map((tool) => [tool.name, tool]));
await call('weather', { city: 'Oslo' });
await call('weather', { city: 7 });
await call('fail');
await call('deploy', { to: 'production' });
await call('count', { to: 3 }, { onprogress: (p) => say('progress', p) });
await call('place', { at: 'Tromsø' });
await call('no-such-tool');
await Promise.all(['Rome', 'Bern', 'Bonn'].map((city) => call('weather', { city })));
const stop = new AbortController();
const stopped = call('wait', {}, { signal: stop.signal });
setTimeout(() => stop.abort('enough'), 300);
await stopped;
await call('dig');
for (let status = 'working'; status === 'working';) {
  const task = await client.request({ method: 'tasks/get', params: { taskId: 'task-1' } },
    z.object({ status: z.string() }).loose());
  say('task', task);
  status = task.status;
}
await call('weather', { city: 'Nice' }, {}, { 'io.modelcontextprotocol/aiInvocation': {
  invocationReason: 'The person asks how warm it is.' } });
await client.close();
process.exit(0);
