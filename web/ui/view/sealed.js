// <candor-sealed>: how much reasoning of a step only the provider of its model can read. What it is, nobody else knows.

import { setText } from '../lib/dom.js';
import { plural, size } from '../lib/format.js';

/** @import { SealedReasoning } from '../wire.d.ts' */

export class Sealed extends HTMLElement {
  connectedCallback() { setText(this, words(JSON.parse(this.dataset.size || '{}'))); }
}

/**
 * Puts sealed reasoning into words.
 * @param {Pick<SealedReasoning, 'kind' | 'bytes' | 'tokens'>} s
 */
export function words({ kind, bytes, tokens }) {
  const much = bytes ? size(bytes) : '', signed = kind === 'signature';
  return ['sealed reasoning', signed ? `left out${much ? `, with a signature of ${much}` : ' and signed'}` : much,
    tokens && plural(tokens, 'token'), 'only the model’s provider can read it'].filter(Boolean).join(' · ');
}

customElements.define('candor-sealed', Sealed);
