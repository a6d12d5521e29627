// An MCP server of the official SDK's second version: node server2.mjs, over standard input and output, or with the
// argument "http" over HTTP, at the address that it prints. Its tools answer with a structure, ask back, report
// progress, wait to be cancelled, begin a task, and want an argument in a header.
import { createServer } from 'node:http';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const text = (words) => [{ type: 'text', text: words }];
let polls = 0;

/** Makes a server, of which HTTP has one for each request. */
function make() {
  const server = new McpServer({ name: 'second-server', version: '2.0.0' }, { capabilities: { tools: {} } });
  server.registerTool('weather', {
    description: 'Tells how warm it is.', inputSchema: z.object({ city: z.string() }),
    outputSchema: z.object({ city: z.string(), degrees: z.number() }),
  }, ({ city }) => ({ content: text(`4 in ${city}`), structuredContent: { city, degrees: 4 } }));
  server.registerTool('fail', { inputSchema: z.object({}) }, () => ({ content: text('no such row'), isError: true }));
  server.registerTool('deploy', { inputSchema: z.object({ to: z.string() }) }, ({ to }, { mcpReq }) => {
    const asked = mcpReq.inputResponses?.sure;
    if (!asked) {
      return inputRequired({ requestState: `deploying to ${to}`, inputRequests: { sure: inputRequired.elicit({
        message: `Deploy to ${to}?`, requestedSchema: z.object({ sure: z.boolean() }) }) } });
    }
    return { content: text(`${asked.action} ${asked.content?.sure}: ${to}`) };
  });
  server.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, { mcpReq }) => {
    for (let progress = 1; progress <= to; progress++) {
      await mcpReq.notify({ method: 'notifications/progress',
        params: { progressToken: mcpReq._meta.progressToken, progress, total: to } });
      await new Promise((done) => { setTimeout(done, 50); }); // the client hears no progress of what has ended
    }
    return { content: text(`counted to ${to}`) };
  });
  server.registerTool('wait', { inputSchema: z.object({}) }, (_, { mcpReq }) => new Promise((done) => {
    mcpReq.signal.addEventListener('abort', () => done({ content: text('too late') }));
  }));
  server.registerTool('place', { inputSchema: z.object({ at: z.string().meta({ 'x-mcp-header': 'Place' }) }) },
    ({ at }) => ({ content: text(`at ${at}`) }));
  server.registerTool('dig', { inputSchema: z.object({}) },
    () => ({ resultType: 'task', taskId: 'task-1', status: 'working', content: [] }));
  server.server.setRequestHandler('tasks/get', { params: z.object({ taskId: z.string() }).loose() }, ({ taskId }) =>
    ++polls < 2 ? { taskId, status: 'working' } : { taskId, status: 'completed', result: { content: text('gold') } });
  return server;
}

if (process.argv[2] !== 'http') {
  serveStdio(make);
} else {
  const handler = createMcpHandler(make);
  createServer(async (req, res) => {
    const parts = [];
    for await (const part of req) parts.push(part);
    const stop = new AbortController();
    res.on('close', () => stop.abort());
    const answer = await handler.fetch(new Request(`http://localhost${req.url}`, { method: req.method,
      headers: req.headers, signal: stop.signal, body: parts.length ? Buffer.concat(parts) : undefined }));
    res.writeHead(answer.status, Object.fromEntries(answer.headers));
    try {
      for await (const part of answer.body ?? []) res.write(part);
    } catch { /* it was aborted */ }
    res.end();
  }).listen(0, '127.0.0.1', function () { console.log(`http://127.0.0.1:${this.address().port}/mcp`); });
}
