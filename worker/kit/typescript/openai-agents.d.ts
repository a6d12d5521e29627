import type { FunctionTool, Handoff, Runner } from "@openai/agents";
import type { Options } from "./client.js";
/** Returns a tool, or a handoff, like the given one that asks for a reason, and takes it out before it runs. */
export function reasoned<T extends FunctionTool<any, any, any> | Handoff<any, any>>(tool: T): T;
/** Lets a runner report its runs, and returns it. The options are those of Job. */
export function report<R extends Runner>(runner: R, options?: Options): R;
