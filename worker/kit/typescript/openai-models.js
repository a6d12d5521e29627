// What openai-agents.js hears of models.
import { safely, takeReason } from "./client.js";

/**
 * Has the models that a runner finds by name tell what they answered: their text, calls of the SDK, usage, and why they
 * stopped.
 */
export function watchModels(config, told) {
  const provider = config?.modelProvider;
  if (!provider?.getModel) return;
  const note = safely((response) => {
    const output = response?.output ?? [], used = response?.usage;
    const parts = output.filter((item) => item.type === "message").flatMap((item) => item.content);
    told({
      text: parts.map((part) => part.text ?? part.refusal ?? "").join(""),
      calls: output.filter((item) => item.type === "function_call"),
      usage: used && { input_tokens: used.inputTokens, output_tokens: used.outputTokens },
      stop: parts.some((part) => part.type === "refusal") ? "refusal" : stopOf(response?.providerData),
    });
  });
  config.modelProvider = Object.assign(Object.create(provider), {
    getModel: async (name) => {
      const model = await provider.getModel(name);
      return Object.assign(Object.create(model), {
        getResponse: async (request) => {
          const response = await model.getResponse(request);
          note(response);
          return response;
        },
        getStreamedResponse: async function* (request) {
          for await (const event of model.getStreamedResponse(request)) {
            if (event.type === "response_done") note(event.response);
            yield event;
          }
        },
      });
    },
  });
}

// The SDK keeps the provider's answer, of a stream that of the Responses API only.
const stopOf = (raw) => raw?.incomplete_details?.reason ?? raw?.choices?.[0]?.finish_reason ?? undefined;

/** Returns a call of the SDK as one of Job. */
export function called({ callId, name, arguments: args }) {
  const { reason, rest } = takeReason(args);
  let input = rest;
  try { input = JSON.parse(rest || "{}"); } catch { /* it is told as it is */ }
  return { id: callId, name, input, reason };
}
