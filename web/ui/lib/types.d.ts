// Types of lib/ that are longer than what they describe. Only the type checker reads
// this file; the page does not load it.

/** What h() accepts as a child; empty values are skipped. */
export type Child = string | number | Node | null | undefined | false;

/** An attribute, or an event's listener. It is a method type so that listeners may name the event they expect. */
export type Prop = string | number | boolean | null | undefined | { listener(e: Event): unknown }['listener'];
export type Props = Record<string, Prop>;

/** The element that a tag name stands for. */
export type ElementOf<K> = K extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[K] : HTMLElement;

/** A row of a menu: an action, a menu of its own, or a title between groups; empty values are skipped. */
export type Item =
  | { label: string, run?: () => unknown, checked?: boolean }
  | { label: string, items: Item[] }
  | { title: string }
  | null | false | undefined;

/** What a windowed list asks of its owner. */
export type ListOwner<T, E> = {
  key(item: T): string,
  make(item: T): E,
  draw(el: E, item: T): void,
  /** the parts of an item that a reader looks at, from the top down */
  parts(el: E): Iterable<HTMLElement>,
  /** the reader is near the first item */
  onEdge(): void,
  onScroll(): void,
};

/** An item and how far below the top of the view it is, in pixels; and the same of its first part in view. */
export type Anchor = { key: string, offset: number, part?: { el: HTMLElement, offset: number } };

/** A key, or two typed one after the other, and the action they run. */
export type Key = [keys: string, action: string];

/** Keys that belong together, and what they do in words. */
export type KeyGroup = [title: string, keys: [key: string, words: string][]];

/** Actions of the keyboard by name; one that returns false leaves the key to the browser. */
export type KeyActions = Record<string, (e: KeyboardEvent) => unknown>;

/** The class of an element of index.html. */
export type ElementById<K> = K extends keyof PageElements ? PageElements[K] : HTMLElement;

declare global {
  /** The elements of index.html that are more than an HTMLElement, by id; view/types.d.ts adds its own. */
  interface PageElements { dialog: HTMLDialogElement, search: HTMLInputElement }
  interface Window { trustedTypes?: { createPolicy(name: string, rules: object): { createHTML(s: string): string } } }
}
