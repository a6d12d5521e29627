// Types of the modules beside index.html. Only the type checker reads this file; the
// page does not load it.

import type { Hub } from './lib/hub.js';
import type { Fetcher } from './net/fetcher.js';
import type { Stream } from './net/stream.js';
import type { Outbox } from './outbox.js';
import type { Store } from './state/store.js';
import type { Active, Conversation, Kind, Turn } from './state/types.d.ts';
import type { Composer } from './view/composer.js';
import type { ConversationView } from './view/conversation.js';
import type { Decision } from './view/decision.js';
import type { Rail } from './view/rail.js';

/** What parts report to whoever acts on it, so that they need not know each other. */
export type Events = {
  /** something went wrong that a person should know */
  failed: [error: unknown],
  /** the server asks who is there; why explains it, if there is something to explain */
  signedOut: [why: string],
  /** somebody signed in */
  signedIn: [],
  /** what is shown has to be fetched again */
  refetch: [],
  /** a person chose an example */
  ask: [text: string],
  /** a turn is compared with another one, or with one that is yet to be chosen if other is 0 */
  compare: [turn: number, other: number],
  timeline: [turn: number],
};

/** The parts of the page. There is one of each. */
export type Parts = {
  hub: Hub<Events>, store: Store, fetcher: Fetcher, stream: Stream, view: ConversationView,
  rail: Rail, composer: Composer, outbox: Outbox,
};

/**
 * Sends a message to a thread, or to one that it begins if the id is empty, and says which. It resolves to the
 * number of its turn, or to 0 if it became none of this thread.
 */
export type Deliver = (thread: string, text: string, begun: (thread: string) => void) => Promise<number>;

/** A message under way: where it goes, the one that goes first, and whether it was taken care of. */
export type UnderWay = {
  kind: Active['kind'],
  /** the thread or the job; empty until a new conversation has begun */
  thread: string, text: string, before: UnderWay | null, done: Promise<boolean> | null,
};

/** What is about to be deleted; open says that it was the open conversation. */
export type Deleted = { kind: Kind, name: string, open: boolean, timer: number };

/** The parts, and what is open. */
export type Context = Readonly<Parts & {
  active(): Conversation | undefined,
  turn(number: number): Turn | undefined,
}>;

/** The turn and the decision that the keyboard is at. */
export type Here = { turn: Turn | undefined, decision: Decision | null };
