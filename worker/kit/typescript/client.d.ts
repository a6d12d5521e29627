type Schema = Record<string, any>;
/** Returns the JSON Schema of a tool with a first property for the model's reason. One that the tool has stays. */
export function withReason(schema?: Schema): Schema;
/** Reports whether withReason added the property. */
export function asksReason(schema?: Schema): boolean;
/** Splits arguments, an object or its JSON, into the reason and what the tool is to see, in the form that they had. */
export function takeReason<A>(args: A): { reason: string; rest: A };

/** Returns a function that says once what went wrong in it, and lets the agent go on. */
export function safely<F extends (...args: any[]) => unknown>(does: F): F;

export type Options = {
  title?: string; prompt?: string;
  /** Default: CANDOR_SERVER, then http://127.0.0.1:8080. */
  server?: string;
  /** Default: CANDOR_TOKEN, then .candor/token. */
  token?: string;
  /** A job that somebody else opened. Default: CANDOR_JOB and CANDOR_JOB_TOKEN. */
  job?: string; jobToken?: string;
};
export type Usage = { input_tokens?: number; output_tokens?: number; reasoning_tokens?: number };
export type Call = { id: string; name: string; input?: unknown; reason?: string };

/** An agent's run: a job on the page. It is opened with the first event. */
export class Job {
  constructor(options?: Options);
  id?: string;
  /** Posts an event of docs/posting-reasoning.md. */
  post(event: { event: string } & Record<string, unknown>): void;
  /**
   * Tells an answer of the model. Without calls it is the last. That of an agent within a call, the caller, is the
   * call's result.
   */
  answered(answer: {
    text?: string; thoughts?: string; calls?: Call[]; usage?: Usage; agent?: string; caller?: string; stop?: string;
  }): void;
  /** Tells what came of a call: its output, or its error. */
  returned(call: { id: string; name: string; output?: unknown; error?: unknown; begun?: number; agent?: string }): void;
  /** Ends the job, and waits until all is posted, unless the server is away, but no longer than CANDOR_WAIT. */
  end(result?: { success?: boolean; message?: string }): Promise<void>;
}
