import type { FunctionTool, Runner } from "@openai/agents";
import type { Options } from "./client.js";
/** Returns a tool like the given one that asks the model for a reason, and takes it out before the tool runs. */
export function reasoned<T extends FunctionTool<any, any, any>>(tool: T): T;
/** Lets a runner report its runs, and returns it. The options are those of Job. */
export function report<R extends Runner>(runner: R, options?: Options): R;
