// Server-sent events, as the WHATWG standard has them. EventSource cannot send the header
// that the login needs, so the page reads them from a fetch.

/** @typedef {{ name: string, data: string, id: string }} Message */

/** Reads messages from the text of a stream, in whatever parts it arrives. */
export class Parser {
  /** The delay before a reconnect that the server asks for, in ms; 0 if it asks for none. */
  retry = 0;
  #rest = ''; #name = ''; #id = '';
  /** @type {string[]} */
  #data = [];

  /** @param {string} text @returns {Message[]} what it completes */
  push(text) {
    /** @type {Message[]} */
    const done = [];
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/); // the text may end between CR and LF
    this.#rest = lines.pop() || '';
    for (const line of lines) {
      if (line) this.#field(line);
      else if (this.#data.length > 0) done.push(this.#complete());
      else this.#name = '';
    }
    return done;
  }

  #complete() {
    const message = { name: this.#name || 'message', data: this.#data.join('\n'), id: this.#id };
    this.#name = '';
    this.#data = [];
    return message;
  }

  /** @param {string} line */
  #field(line) {
    const colon = line.indexOf(':'), field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#name = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
  }
}
