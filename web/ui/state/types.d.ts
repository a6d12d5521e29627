// What the page knows, and the actions that change it. Only the type checker reads this
// file; the page does not load it.

import type {
  Answer, ChatFrame, DroppedFrame, JobDeletedFrame, ThreadDeletedFrame, HistoryResponse, JobDetail,
  JobFrame, JobInfo, NoteKind, Notice, Outcome,
  Redaction, SealedReasoning, SightedInfo, Source, State as TurnState, StepStop, ThreadInfo, TurnDetail,
} from '../wire.d.ts';

/** A tool call with its reason: what a decision row shows. */
export type Call = {
  id: string, tool: string, why: string, source: Source | '', blocked: boolean, outcome: Outcome,
  group: number | null, step: number, agent: string, approval: Answer | '',
  /** when it began to run, and how long it had waited for a person before */
  startedAt: number, waited: number, took: number | null,
  /** nobody timed it: took is the time between the server's receipt of its two reports */
  near: boolean,
  /** undefined until the server was asked for them */
  params?: unknown, redactions: Redaction[], notices: Notice[], preview: string, size: number, error: string,
  /** what the tool was used on, and what came of it, in a line each; empty if the server did not say */
  object: string, got: string,
  /** what the model said between this call and the one before it */
  before: string,
  /** the open question whether the call may run */
  request: Request | null,
  /** how many characters were hidden from the person who was asked */
  hidden: number,
  /** the parameters as a person changed them, with which the tool ran, and who; undefined if nobody did */
  edited?: unknown, editedBy: string,
  /** the worker named no call: the reason or the result was taken for this one's */
  inferred: boolean,
  /** the participant that runs the tool, of an observed turn */
  to: string,
  /** which channels told what of it, if its agent is another program's */
  sighted: SightedInfo | null,
} & Sure & Rated;
/** What the user thinks of a decision; null if nothing. */
export type Rated = { feedback: { rating: 'good' | 'bad', note: string } | null };
/** How sure an agent said it was, between 0 and 1; below the threshold a person decides. */
export type Confidence = { stated: number, threshold: number, suppressed?: boolean };
/** What only some calls have: those whose agent said how sure it was, and those that are decisions. */
export type Sure = {
  confidence: Confidence | null,
  /** the call is a decision, and touches nothing; what it decides may be cut */
  decides: boolean, decision: string,
  /** a person was asked because the agent was not sure enough */
  unsure: boolean,
  /** what the person said beside the answer; may be cut */
  said: string,
};
/** The run of a workflow that a turn is, and the turn that it repeats. */
export type Run = { workflow: string, replayOf: { thread: string, turn: number } | null };
/** Its parameters are whole, but for the hidden characters of secrets. */
export type Request = {
  id: string, description: string, always: boolean, params: unknown, hidden: number,
  /** when the call is rejected if nobody has answered, by the server's clock in ms; 0 if it did not say */
  expires: number,
  /** the person may change the parameters */
  editable: boolean,
};
export type Said = {
  agent: string, step: number, text: string, html: string, source: Source | '', at: number,
  /** the provider's summary beside the model's own words */
  thought?: string,
};
/** What a running step has said so far; next is the index of the part that comes next. */
export type Draft = Said & { next: number };
/** Who asked for an observed turn, and why. The thread, turn and call are those of whoever asked. */
export type Asked = {
  by: string, thread: string, turn: number, call: string, why: string, source: Source | '',
  /** the turn began before the server heard of it */
  unseen: boolean,
};
/** Something within an observed turn that is no part of its steps; late if it came after the turn's end. */
export type Note = { from: string, to: string, kind: NoteKind, text: string, late: boolean, at: number };
export type Handoff = {
  call: string, from: string, to: string, text: string, at: number,
  /** who gets the task, for people; empty where nobody said, and in answers */
  name: string, model: string, effort: string,
};

/** A turn as the page shows it. It is a value: every change makes a new one. */
export type Turn = {
  number: number, messageId: string,
  /** null while only the stream has told of the turn */
  input: string | null,
  response: string, responseHtml: string, error: string,
  /** quiet: nobody reported an end, nor anything else for long */
  state: TurnState | 'quiet',
  createdAt: number, startedAt: number, endedAt: number,
  /** a restart of the server interrupted it, and it was last heard of at its end */
  restarted: boolean,
  narrative: string, narrativeSource: Source | '', narrativeBlocked: boolean,
  said: Said[], drafts: Draft[], calls: Call[], handoffs: Handoff[], redactions: Redaction[], notices: Notice[],
  tokens: number,
  /** what they cost, in words; empty if that is not known */
  cost: string,
  /** what the steps of the lead agent cost, by their number, where that is known */
  stepTokens: Record<number, number>,
  /** what only the provider of a model can read, by step */
  sealed: SealedReasoning[],
  /** why the model stopped where it was not done, in words, and in which steps */
  stop: string, stops: StepStop[],
  /** the run of the job, from 1; 0 in a thread */
  run: number,
  /** the server knows more of the turn than the page does */
  stale: boolean,
  /** of an observed turn: null if nobody is known to have asked */
  asked: Asked | null, conclusion: string, notes: Note[],
  /** the steps that began after the turn's end */
  lateSteps: number[],
  /** when a watched agent last told something, by its own clock, while the turn has no end; else 0 */
  toldAt: number,
} & Run;

/** A space that the user owns, with who takes part in it; you is the user's own name there. */
export type Space = { name: string, you: string, joined: boolean, participants: Participant[] };
export type Participant = { id: string, connected: boolean };
/** A space in the rail: its threads, and those who take part and have said nothing. */
export type Group = { name: string, space: Space | null, threads: ThreadInfo[], silent: Participant[] };

export type Kind = 'thread' | 'job';
export type Conversation = {
  id: string, kind: Kind, status: 'loading' | 'ready' | 'failed' | 'gone' | 'deleted',
  problem: string, turns: Turn[], hasMore: boolean, oldest: string, loadingOlder: boolean,
  dropped: number, // older turns that the server dropped from memory
  /** the position in the event stream that the turns include */
  cursor: Cursor,
  /** what the stream brought while the conversation was read */
  early?: { cursor: Cursor, change: (c: Conversation) => Conversation }[],
  /** of a job: what it is */
  job?: Job,
};

/** A position in the event stream; part counts the frames of one event. */
export type Cursor = { epoch: string, seq: number, part: number };

/** A job without the token of its worker, which the page does not keep. */
export type Job = Pick<JobInfo, 'job_id' | 'title' | 'prompt' | 'state' | 'message' | 'error' | 'run' | 'events' |
  'created_at' | 'updated_at' | 'ended_at' | 'worker_seen_at' | 'ignored_members' | 'dropped_runs'>;

export type Active = { kind: Kind | 'new' | 'none', id: string };
export type Link = {
  state: 'connecting' | 'live' | 'lost' | 'resumed' | 'reset', count: number,
  /** when a server that is lost was last heard, by the clock of the page; else 0 */
  heard: number,
};

export type State = {
  threads: ThreadInfo[] | null, jobs: Job[] | null, spaces: Space[], active: Active,
  conversations: Record<string, Conversation>, link: Link,
  /** thread or job → the updated_at that was seen last */
  seen: Record<string, string>,
  /** messages that wait for the server */
  waiting: Waiting[],
  /** conversations and jobs that are about to be deleted: they are shown no more, and can be taken back */
  hidden: Record<string, true>,
  /** how far the server's clock is ahead, in ms; a guess until a frame has told its time */
  skew: number, timed: boolean,
  /** the model that answers; null until the server has said so */
  backend: Backend | null,
};

/** A provider's name, and its model's. */
export type Backend = { name: string, model: string };

/** A conversation or a job that has begun; first says that it is the only one of its kind. */
export type Arrival = { kind: Kind, id: string, title: string, at: string, first: boolean };

/** A message that waits for the server: its words as they were typed, and where. */
export type Waiting = {
  key: number,
  /** empty for a conversation that is yet to begin */
  thread: string,
  text: string,
  /** the latest turn that was known when it was written */
  after: number,
  /** why the server refused it; empty while it may still go */
  problem: string, sending: boolean,
};

/** A frame about a turn. The stream itself acts on what the server dropped or deleted. */
export type TurnFrame = Exclude<ChatFrame, DroppedFrame | ThreadDeletedFrame>;
/** A frame of the event stream. */
export type Frame = TurnFrame | Exclude<JobFrame, JobDeletedFrame>;

/** What the event stream reports. onRefused returns whether nobody is signed in, which ends the stream. */
export type StreamListener = {
  /** the stream had no position and begins now: what was fetched before may miss an event */
  onPosition(): void,
  onFrame(f: Frame, id: string): void, onLink(l: Link): void, onResync(): void, onSignedOut(): void,
  onDeleted(id: string): void,
};

/** The part of history that the state needs. */
export type History = Pick<HistoryResponse, 'turns' | 'has_more' | 'event_id' | 'oldest_timestamp' | 'dropped_turns' |
  'pending_approvals'>;

/** Everything that changes the state. */
export type Action =
  | { type: 'threads', threads: ThreadInfo[] }
  | { type: 'jobs', jobs: JobInfo[] }
  | { type: 'spaces', spaces: Space[] }
  | { type: 'backend', backend: Backend }
  | { type: 'select', active: Active }
  | { type: 'seen', id: string, at: string }
  | { type: 'link', link: Link }
  | { type: 'waiting', waiting: Waiting[] }
  /** a person deletes something, or takes that back */
  | { type: 'hide', id: string, hidden: boolean }
  /** the server deleted it */
  | { type: 'deleted', id: string }
  | { type: 'loading', id: string, kind: Kind }
  | { type: 'failed', id: string, kind: Kind, problem: string, gone: boolean }
  | { type: 'history', id: string, history: History }
  | { type: 'olderLoading', id: string, kind: Kind }
  | { type: 'olderJob', id: string, job: JobDetail, before: string }
  | { type: 'older', id: string, history: History }
  /** a turn that was fetched: as it was when asked for, and the call whose whole result is wanted */
  | { type: 'turn', id: string, turn: TurnDetail, asked?: Turn, whole?: string }
  | { type: 'fetchFailed', id: string, number: number }
  | { type: 'sent', id: string, number: number, content: string, messageId: string, state: TurnState, now: number }
  | { type: 'job', job: JobDetail }
  /** the whole result of a job's call */
  | { type: 'result', id: string, call: string, output: unknown }
  | { type: 'event', frame: Frame, eventId: string, now: number }
  | { type: 'trim', id: string };

/** One function for each type of a union: (value, member) → value. */
export type Handlers<V, U extends { type: string }> = { [T in U['type']]: (value: V, u: Extract<U, { type: T }>) => V };

/** The address: which conversation, turn and call, and how they are shown. */
export type Route = {
  thread: string, job: string, turn: number, call: string, view: string,
  /** another turn that is compared, and its conversation if it is in another one */
  diff: number, diffThread: string, diffJob: string,
  isNew: boolean,
  find: string | null,
};

/**
 * The outline of a turn: steps, what ran together in each, and sub-agents below their calls. A step has an agent if it
 * is below no call that started the agent, as in a job whose worker tells of no hand-offs.
 */
export type Step = {
  agent: string, step: number, said: Said | null, sealed: SealedReasoning | null, stop: string, batches: Batch[],
};
export type Batch = { group: number | null, nodes: Node[] };
export type Node = { call: Call, sub: Agent | null };
/** A row of a batch: one call, or several of one tool that stand together. */
export type Row = Node[];
/** A tool of a turn, what it was used on, how often, and whether it went badly or waits for a person. */
export type Used = { tool: string, object: string, count: number, kind: 'bad' | 'waits' | '' };
/** A value as people read it: short members by name, the others as blocks. */
export type Readable = { pairs: { name: string, text: string }[], blocks: Block[] };
export type Block = { name: string, kind: 'json' | 'patch' | 'text', text: string };
/** A block of Markdown: its element, and what it has in it. A mark without an element is only text. */
export type Markup = { kind: string, text?: string, marks?: Mark[], blocks?: Markup[] };
export type Mark = { kind: '' | 'code' | 'strong' | 'em', text?: string, marks?: Mark[] };
export type Agent = { name: string, task: Handoff, answer: Handoff | null, steps: Step[], handoffs: Handoff[],
  /** its turn goes on no longer */
  over: boolean };

/** The time that calls of a batch share: when it begins, how long it lasts, and the sum of its calls, in ms. */
export type Axis = { from: number, wall: number, sum: number, near: boolean };

/** A row of the waterfall, in ms of the turn without the time in which it only waited for a person. */
export type Bar = Time & {
  kind: 'model' | 'tool' | 'agent', label: string, depth: number,
  /** what tells the row from others, the call it is of, and how many calls fold into it */
  key: string, call: string, count: number,
  object: string, outcome: Outcome | '', asks: boolean, critical: boolean, why: string, got: string,
  /** what the step cost, of its first row; 0 if nobody said */
  tokens: number,
};
/** When something ran; null where nobody said. What it waited for a person comes before from. */
export type Time = { from: number | null, to: number | null, took: number | null, waited: number, near: boolean };
/** What the rows of the waterfall are, how long its axis is, and how much waiting is cut out of it, in ms. */
export type Waterfall = { bars: Bar[], length: number, cut: number, timed: boolean };
/** A time between two others, in ms. */
export type Interval = [from: number, to: number];

/** A pair of calls of two turns that are compared. */
export type Delta = {
  kind: 'same' | 'changed' | 'added' | 'removed', left: Call | null, right: Call | null,
  /** of a changed pair: what differs */
  why: boolean, outcome: boolean, params: ParamDelta[], took: number | null,
};
export type ParamDelta = { key: string, left: string | null, right: string | null };
export type Pair = [Call | null, Call | null];
export type Stretch = { same: boolean, text: string };
/** Something that two turns are counted by. */
export type Sum = { name: string, left: string, right: string, change: string, bad: boolean };
/** A turn that is compared, and what it is called there. */
export type Side = { turn: Turn, name: string, about: string };
/** Where a turn is. */
export type Place = { kind: Kind, id: string };
