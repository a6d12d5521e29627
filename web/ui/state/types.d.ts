// The shapes that the page's modules share. Only the type checker reads this file.

export type Outcome = 'pending' | 'success' | 'error' | 'rejected' | 'cancelled';
export type Source = 'model' | 'summary' | 'fallback' | '';
export type TurnState = 'queued' | 'processing' | 'completed' | 'failed' | 'interrupted';
export type Finding = { rule: string, count: number };

/** A tool call with its reason: what a decision row shows. */
export type Call = {
  id: string, tool: string, why: string, source: Source, blocked: boolean, outcome: Outcome,
  group: number | null, step: number, agent: string, approval: string,
  startedAt: number, took: number | null,
  /** undefined as long as the server was not asked for them */
  params?: unknown, redactions: Finding[], preview: string, size: number, error: string,
  /** the open question whether the call may run */
  request: Request | null,
};
export type Request = { id: string, description: string, always: boolean };
export type Said = { agent: string, step: number, text: string, html: string, source: Source, at: number };
export type Handoff = { call: string, from: string, to: string, text: string, at: number };

/** A turn as the page shows it. It is a value: whatever changes is a new one. */
export type Turn = {
  number: number, messageId: string,
  /** null as long as only the stream told of the turn */
  input: string | null,
  response: string, responseHtml: string, error: string, state: TurnState,
  createdAt: number, startedAt: number, endedAt: number,
  narrative: string, narrativeSource: Source, narrativeBlocked: boolean,
  said: Said[], calls: Call[], handoffs: Handoff[], redactions: Finding[], tokens: number,
  /** the server knows more of the turn than we do */
  stale: boolean,
};

export type Conversation = {
  id: string, kind: 'thread' | 'job', status: 'loading' | 'ready' | 'failed' | 'gone',
  problem: string, turns: Turn[], hasMore: boolean, oldest: string, loadingOlder: boolean,
  /** the place in the stream up to which history is in */
  place: Place,
  /** of a job: what it is, and how its log becomes turns */
  job?: JobInfo, fold?: (turns: Turn[], f: Frame, job: JobInfo) => Turn[],
};
export type Place = { epoch: string, seq: number, part: number };

export type ThreadInfo = {
  id: string, state: string, turn_count: number, title?: string, created_at: string, updated_at: string,
};
export type JobInfo = {
  job_id: string, title: string, prompt: string, state: string, message: string | null, run: number,
  created_at: string, updated_at: string, ended_at: string | null, redactions?: Finding[],
};
export type Active = { kind: 'thread' | 'job' | 'new' | 'none', id: string };
export type Link = { state: 'connecting' | 'live' | 'lost' | 'resumed' | 'reset', count: number };

export type State = {
  threads: ThreadInfo[] | null, jobs: JobInfo[] | null, active: Active,
  conversations: Record<string, Conversation>, link: Link,
  /** thread or job → the updated_at that was seen last */
  seen: Record<string, string>,
  /** how far the server's clock is ahead of ours, in ms */
  skew: number,
};

/** A frame of the event stream. What it has besides depends on its type. */
export type Frame = Record<string, any> & { type: string };

/** Where a row of the waterfall begins and ends, in ms since the turn began. */
export type Bar = {
  kind: 'model' | 'tool' | 'agent', label: string, depth: number, from: number, to: number, call: string,
  outcome: Outcome | '', critical: boolean, why: string,
};

export type Delta = {
  kind: 'same' | 'changed' | 'added' | 'removed', left: Call | null, right: Call | null,
  /** of a changed pair: what differs */
  why: boolean, outcome: boolean, params: ParamDelta[], took: number | null,
};
export type ParamDelta = { key: string, left: string | null, right: string | null };

declare global {
  interface Window { trustedTypes?: { createPolicy(name: string, rules: object): { createHTML(s: string): string } } }
}
