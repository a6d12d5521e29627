import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { Job, Options } from "./client.js";
/** Returns a tool like the given one that asks the model for a reason, and takes it out before the tool runs. */
export function reasoned<T extends StructuredToolInterface>(tool: T): T;
export class CandorHandler extends BaseCallbackHandler {
  name: string;
  /** With a job of your own all runs are told there, and you end it. Else each run is one. */
  constructor(options?: Options, job?: Job);
}
