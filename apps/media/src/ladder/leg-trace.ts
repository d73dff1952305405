/** What one leg of a call sent and received, bounded: the beginning and the end of the leg are kept, the middle is counted. */
import { LADDER_MESSAGES_PER_LEG, type LadderEntry, type LadderLeg } from '@clarion/protocol/ladder';
import { hideIdentity, identityOf, mergeIdentities } from './hidden-identity.ts';
import { cutMessage, maskMessage } from './mask-message.ts';
import type { SipCapture } from './sip-frame.ts';

/** Of the messages of a leg, the last ones: how it ended. */
const LAST_MESSAGES = 24;
const FIRST_MESSAGES = LADDER_MESSAGES_PER_LEG - LAST_MESSAGES;
/** Media facts of a leg. */
const MAX_FACTS = 64;
/** Requests that the sender does not want to be identified in. */
const PRIVACY = /\nprivacy[ \t]*:[^\r\n]*\b(?:id|user|header)\b/i;
/** Final responses after which the same INVITE is sent again, with credentials or a longer session. */
const REPEATED_AFTER = new Set([401, 407, 422]);

type Entry = LadderEntry extends infer E ? (E extends LadderEntry ? Omit<E, 'leg'> : never) : never;
/** An entry without its leg; `ms` is the monotonic time. */
export type TraceEntry = Entry;

export class LegTrace {
  readonly leg: LadderLeg;
  /** The caller withholds the number. */
  withheld = false;
  /** Its audio was connected: only then is its quality shown. */
  isConnected = false;
  /** Of its messages, in characters. */
  size = 0;
  readonly #first: Entry[] = [];
  readonly #last: Entry[] = [];
  readonly #facts: Entry[] = [];
  #transport = '';

  constructor(id: string, kind: LadderLeg['kind']) {
    this.leg = { id, kind, omitted: 0 };
  }

  get isEmpty(): boolean {
    return this.#first.length === 0 && this.#facts.length === 0;
  }

  sip(ms: number, { text, sent, transport: reported, address, port }: SipCapture): void {
    // Not reported for an ACK and for the response to a BYE, which use that of the dialog.
    const transport = reported === '' ? this.#transport : reported;
    this.#transport = transport;
    this.message({ kind: 'sip', ms, ...cutMessage(text), sent, transport, address, port });
  }

  message(entry: Entry): void {
    this.size += sizeOf(entry);
    if (this.#first.length < FIRST_MESSAGES) {
      this.#first.push(entry);
      return;
    }
    this.#last.push(entry);
    if (this.#last.length <= LAST_MESSAGES) return;
    const removed = this.#last.shift();
    if (removed) this.size -= sizeOf(removed);
    this.leg.omitted += 1;
  }

  fact(ms: number, what: string, data?: Record<string, string | number | boolean | null>): void {
    if (this.#facts.length < MAX_FACTS) this.#facts.push({ kind: 'media', ms, what, ...(data && { data }) });
  }

  /** Takes over what was captured before the leg was known. */
  absorb(earlier: LegTrace): void {
    for (const entry of [...earlier.#first, ...earlier.#last]) this.message(entry);
    this.leg.omitted += earlier.leg.omitted;
    this.withheld ||= earlier.withheld;
  }

  /** The entries without secrets, in the order of time. */
  masked(): Entry[] {
    const messages = [...this.#first, ...this.#last];
    const texts = messages.flatMap((entry) => (entry.kind === 'sip' ? [entry] : []));
    const hidden = mergeIdentities(
      texts
        .filter(({ text, sent }) => (!sent && PRIVACY.test(text)) || (this.withheld && isInvite(text)))
        .map(({ text }) => identityOf(text)),
    );
    const isHidden = this.withheld || hidden.users.size + hidden.names.size > 0;
    return [...messages, ...this.#facts]
      .toSorted((a, b) => a.ms - b.ms)
      .map((entry) => {
        if (!('text' in entry)) return entry;
        const text = maskMessage(entry.text);
        return { ...entry, text: isHidden ? hideIdentity(text, hidden) : text };
      });
  }
}

const sizeOf = (entry: Entry): number => ('text' in entry ? entry.text.length : 0);
const isInvite = (text: string): boolean => text.startsWith('INVITE ');

/** Whether a dialog, or the attempt to create one, is over with this message. */
export function isOverAfter(capture: SipCapture, before: boolean): boolean {
  const { method, status, isNewInvite, sent } = capture;
  if (isNewInvite) return false;
  // The SIP server responds to a CANCEL that it receives, and to the INVITE.
  if (method === 'CANCEL' && status === null && !sent) return true;
  if (status === null) return method === 'BYE' ? false : before;
  if (status < 200) return before;
  if (method === 'BYE') return true;
  return method === 'INVITE' && status >= 300 && !REPEATED_AFTER.has(status) ? true : before;
}
