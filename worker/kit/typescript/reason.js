// Asks a model for the reason of each call: a property of the tool's schema that the tool never sees.

const reasonProperty = "rationale";
const reasonText = "One sentence: why this call now, and what you expect it to show.";

/** Returns the JSON Schema of a tool with a first property for the model's reason. One that the tool has stays. */
export function withReason(schema) {
  const properties = schema?.properties ?? {};
  if (reasonProperty in properties) return schema;
  return {
    ...schema, type: "object", required: [reasonProperty, ...(schema?.required ?? [])],
    properties: { [reasonProperty]: { type: "string", description: reasonText }, ...properties },
  };
}

/** Reports whether withReason added the property. */
export const asksReason = (schema) => schema?.properties?.[reasonProperty]?.description === reasonText;

/** Splits arguments, an object or its JSON, into the reason and what the tool is to see, in the form that they had. */
export function takeReason(args) {
  try {
    const { [reasonProperty]: reason, ...rest } = typeof args === "string" ? JSON.parse(args || "{}") : args ?? {};
    const same = typeof args === "string" ? JSON.stringify(rest) : rest;
    return { reason: typeof reason === "string" ? reason : "", rest: same };
  } catch {
    return { reason: "", rest: args }; // the agent says better what is wrong with it
  }
}

/** Holds the call that code runs within. Where there is no Node.js, agents within calls are not told. */
const { AsyncLocalStorage } = globalThis.process?.getBuiltinModule?.("node:async_hooks") ?? {};
export const within = AsyncLocalStorage ? new AsyncLocalStorage() : { getStore() {}, run: (call, does) => does() };

/** Returns a name for the agent within a call of a tool, below that of the agent that called, which no other has. */
export function innerName(names, outer, tool) {
  const name = outer ? `${outer}/${tool}` : tool, count = (names.get(name) ?? 0) + 1;
  names.set(name, count);
  return count === 1 ? name : `${name} ${count}`;
}

let failed = false;

/** Returns a function that says once what went wrong in it, and lets the agent go on. */
export const safely = (does) => (...args) => {
  try {
    return does(...args);
  } catch (e) {
    if (!failed) console.error(`candor: a hook failed: ${e?.stack ?? e}. The agent goes on without it.`);
    failed = true;
  }
};
