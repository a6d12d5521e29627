import type { LanguageModelMiddleware, ToolSet } from "ai";
import type { Options } from "./client.js";
/** Returns the middleware. The options are those of Job; the prompt is the user's message unless it is given. */
export function candor(options?: Options): LanguageModelMiddleware;
/** Returns tools like the given ones that let the models which they call know the call. */
export function nested<T extends ToolSet>(tools: T): T;
