import type { LanguageModelMiddleware } from "ai";
import type { Options } from "./client.js";
/** Returns the middleware. The options are those of Job; the prompt is the user's message unless it is given. */
export function candor(options?: Options): LanguageModelMiddleware;
