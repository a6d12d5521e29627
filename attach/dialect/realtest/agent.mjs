// An agent of the AI SDK that exports its spans to Candor: node agent.mjs json|protobuf v7|v6 generate|stream PROMPT.
// v6 means the names that spans had before version 7. The model is at OPENAI_BASE_URL, Candor at CANDOR_SERVER.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { LegacyOpenTelemetry, OpenTelemetry } from "@ai-sdk/otel";
import { OTLPTraceExporter as JSONExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { generateText, isStepCount, registerTelemetry, streamText, tool } from "ai";
import { z } from "zod";

const [kind, names, way, prompt] = process.argv.slice(2);
const to = { url: process.env.CANDOR_SERVER + "/v1/traces", timeoutMillis: 60000,
  headers: { Authorization: "Bearer " + process.env.CANDOR_TOKEN } };
const exporter = kind === "json" ? new JSONExporter(to) : new ProtobufExporter({ ...to, compression: "gzip" });
// Small batches: what a span tells arrives before the spans around it.
const processor = new BatchSpanProcessor(exporter, { maxExportBatchSize: 2, exportTimeoutMillis: 60000 });
const provider = new NodeTracerProvider({ spanProcessors: [processor] });
provider.register();
registerTelemetry(names === "v7" ? new OpenTelemetry() : new LegacyOpenTelemetry());

const weather = tool({
  description: "Tells how warm it is in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: city.length }),
});
const ring = tool({
  description: "Rings a bell.",
  inputSchema: z.object({ times: z.number() }),
  execute: () => { throw new Error("the bell is broken"); },
});

const run = way === "stream" ? streamText : generateText;
const answer = await run({
  model: createOpenAICompatible({ name: "standin", baseURL: process.env.OPENAI_BASE_URL })("standin-1"),
  tools: { weather, ring }, stopWhen: isStepCount(9), prompt, telemetry: { functionId: "weather-agent" },
});
console.log(await answer.text);
await provider.shutdown();
