// Asks Candor's own MCP server with the official SDK's second client, pinned to a revision: node ask.mjs URL TOKEN, or
// COMMAND with ARGUMENTS. It prints the names of the tools and what the server answers.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [target, ...args] = process.argv.slice(2);
const transport = target.startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(target),
    { requestInit: { headers: { Authorization: `Bearer ${args[0]}` } } })
  : new StdioClientTransport({ command: target, args, env: process.env, stderr: 'inherit' });
const client = new Client({ name: 'Asking Client', version: '2.1.0' },
  { versionNegotiation: { mode: { pin: '2026-07-28' } } });
await client.connect(transport);
console.log((await client.listTools()).tools.map(({ name }) => name).join(' '));
const answer = await client.callTool({ name: 'recent_decisions', arguments: { limit: 2 }, _meta: {
  'io.modelcontextprotocol/aiInvocation': { invocationReason: 'To see what was done before.' } } });
console.log(JSON.stringify(answer.structuredContent ?? answer));
await client.close();
process.exit(0);
