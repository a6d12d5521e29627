// What the elements ask of those who put them together. Only the type checker reads this
// file; the page does not load it.

import type { Call, Place, State, Turn } from '../state/types.d.ts';
import type { JobInfo } from '../wire.d.ts';

/** What a decision row can ask for. */
export type DecisionActs = {
  /** value is another decision than the agent's, of a call that is a decision */
  /** answers a question, perhaps with other parameters; returns why these were not taken, or nothing */
  answer(call: Call, action: string, value?: string, edited?: string): Promise<string>,
  /** fetches the complete result */
  whole(call: Call): unknown,
  needParams(): unknown,
  menu(call: Call, button: HTMLElement): unknown,
  /** says what the user thinks of the decision; absent where that cannot be said */
  rate?(call: Call, rating: 'good' | 'bad' | 'none', note: string): Promise<unknown>,
};

/** What a turn needs to draw itself, besides its value. */
export type TurnContext = {
  /** the server's time */
  now: number,
  open: boolean, href: string,
  /** whether the turn runs, so that what is new in it comes in softly */
  running: boolean,
  /** whose turn it is in an observed thread; empty for our own agent */
  participant: string,
  /** the MCP server through which all calls went of which anybody told; empty elsewhere */
  through: string,
  toggle(open: boolean): void, menu(button: HTMLElement): unknown, acts: DecisionActs,
  /** puts the message of a turn that failed into the composer again */
  again(text: string): unknown,
};

/** The line beside what the model said in a step, and the calls of the step, which share an axis. */
export type Lanes = { head: HTMLElement, calls: string[] };

/** What a conversation asks for. */
export type ConversationActs = {
  /** restarts a job; resolves to what shows its new token, or to nothing */
  restart(id: string): Promise<JobInfo | void>,
  /** opens a job for an agent of the user's own, and shows how it says its reasons there */
  watchOwn(): unknown,
  older(id: string): unknown, ask(text: string): unknown, retry(): unknown,
  turnMenu(t: Turn, button: HTMLElement): unknown, acts(t: Turn): DecisionActs,
};

/** What the timeline asks for. */
export type TimelineActs = {
  go(turn: number, call: string): unknown,
  /** goes to the turn before or the next one */
  step(by: number): unknown,
  decisions(t: Turn): DecisionActs,
};

/** What the menu of a turn leads to; a comparison with turn 0 is one with a turn that is yet to be chosen. */
export type TurnActs = { compare(turn: number): unknown, timeline(turn: number): unknown };

/** A turn that another is to be chosen for, of one of several conversations. */
export type Choice = {
  number: number, places: (Place & { title: string })[],
  /** reads the turns of a conversation, the latest first, or one page more of them */
  read(place: Place, older: boolean): Promise<{ turns: Turn[], more: boolean }>,
  done(place: Place, turn: number): unknown,
};

/** What the composer does; send resolves to whether the server accepted the message. */
export type ComposerActs = Pick<WaitingActs, 'cancel'> & {
  send(text: string): Promise<boolean>, stop(): unknown,
  /** brings a waiting message back into the field, before the words that stand there */
  edit(key: number, written: string): unknown,
};

/** What a person can do with a message that waits. */
export type WaitingActs = { edit(key: number): unknown, cancel(key: number): unknown };

/** A row of the rail. */
export type RailRow = {
  key: string, href: string, title: string, at: string, live: boolean, state: string, kind: 'thread' | 'job',
  /** words beside the name, for its tooltip and for those who hear it, such as those of a participant that is away */
  about?: string,
  /** the program of a watched agent, if the title does not say it */
  program?: string,
};

/** Draws the rows of a list of the rail, or what is said if there are none. */
export type DrawList = (list: import('./raillist.js').List, s: State, rows: RailRow[], none: string) => void;

declare global {
  interface HTMLElementTagNameMap {
    'candor-agent': import('./agent.js').SubAgent,
    'candor-job': import('./job.js').JobView,
    'candor-attached': import('./attached.js').Attached,
    'candor-decision': import('./decision.js').Decision,
    'candor-fold': import('./callfold.js').CallFold,
    'candor-sealed': import('./sealed.js').Sealed,
    'candor-turn': import('./turn.js').TurnView,
    'candor-waiting': import('./waiting.js').Waiting,
  }
  interface PageElements {
    begun: import('./begun.js').Begun,
    composer: import('./composer.js').Composer,
    link: import('./connection.js').ConnectionPill,
    rail: import('./rail.js').Rail,
    results: import('./search.js').SearchResults,
    signin: import('./signin.js').SignIn,
    timeline: import('./timeline.js').Timeline,
  }
}

/** The fields in which a person changes the parameters of a call. */
export type EditField = {
  areas: HTMLTextAreaElement[],
  /** how many parameters were changed; none while something is wrong */
  count(): number,
  /** says what is wrong with what is written; returns whether something is */
  wrong(): boolean,
  /** approves the call with what is written, and says why it was not taken if it was not */
  send(action: string, answer: (action: string, value?: string, edited?: string) => Promise<string>): Promise<void>,
  /** puts the parameters back; returns what stood in the fields */
  close(): string[],
};
