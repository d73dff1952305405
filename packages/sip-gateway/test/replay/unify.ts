/**
 * Compares recorded text with what the gateway sent, except for the values that each side generates: branches, tags,
 * Call-IDs, transaction IDs, initial CSeqs, ports, times. A generated value must be used consistently from its first
 * occurrence.
 */

type Pair = readonly [kind: string, recorded: string, actual: string];

/** Generated parts of a SIP header line: the text before stays, the captured part is a generated value. */
const SIP_NAMES: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['port', /(127\.0\.0\.1:)(\d+)/g],
  ['port', /(rport=)(\d+)/g],
  ['branch', /(branch=)([^;\s,]+)/g],
  ['tag', /(tag=)([^;\s>,|]+)/g],
  ['call-id', /^(Call-ID: )(.+)$/g],
  ['cseq', /^(CSeq: )(\d{6,})/g],
  ['cseq', /^(RAck: \d+ )(\d{6,})/g],
  ['rseq', /^(RSeq: |RAck: )(\d{6,})/g],
];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d\d:\d\d:\d\d\.\d{6}$/;
const VERSION = /^v\d+\.\d+\.\d+/;

export class Names {
  readonly #toActual = new Map<string, string>();

  bindPort(recorded: number, actual: number): void {
    this.#toActual.set(`port:${recorded}`, String(actual));
  }

  /** Recorded text rewritten with the values that the gateway uses. */
  translate(text: string): string {
    const cseqKind = cseqOf(text);
    let out = text
      .replace(/(127\.0\.0\.1:)(\d+)/g, (all, before: string, port: string) => this.#port(all, before, port))
      .replace(/(rport=)(\d+)/g, (all, before: string, port: string) => this.#port(all, before, port))
      .replace(/^(CSeq: )(\d{6,})/gim, (_, before: string, n: string) => before + this.#cseq(cseqKind, n))
      .replace(
        /^(RAck: \d+ )(\d{6,})/gim,
        (_, before: string, n: string) => before + this.#cseq(cseqKind, n),
      );
    for (const [key, actual] of this.#toActual) {
      const recorded = key.slice(key.indexOf(':') + 1);
      if (!key.startsWith('port:') && !key.startsWith('cseq@') && recorded !== actual) {
        out = out.replaceAll(recorded, actual);
      }
    }
    return out;
  }

  /** A number that the app derived from one of ours follows that one. */
  #cseq(kind: string, recorded: string): string {
    const known = this.#toActual.get(`${kind}:${recorded}`);
    if (known !== undefined) return known;
    const before = this.#toActual.get(`${kind}:${Number(recorded) - 1}`);
    if (before === undefined) return recorded;
    this.#toActual.set(`${kind}:${recorded}`, String(Number(before) + 1));
    return String(Number(before) + 1);
  }

  /** Accepts pairs if none contradicts the known ones or each other. */
  accept(pairs: readonly Pair[]): boolean {
    const fresh = new Map<string, string>();
    for (const [kind, recorded, actual] of pairs) {
      const key = `${kind}:${recorded}`;
      const known = this.#toActual.get(key) ?? fresh.get(key);
      if (known !== undefined && known !== actual) return false;
      fresh.set(key, actual);
    }
    for (const [key, actual] of fresh) this.#toActual.set(key, actual);
    return true;
  }

  #port(all: string, before: string, port: string): string {
    const actual = this.#toActual.get(`port:${port}`);
    return actual === undefined ? all : before + actual;
  }
}

/** Null if the texts differ in structure; otherwise the generated values that correspond to each other. */
export function compareSip(recorded: string, actual: string): Pair[] | null {
  const cutAt = (text: string): number => {
    const end = text.indexOf('\r\n\r\n');
    return end < 0 ? text.length : end;
  };
  const recordedEnd = cutAt(recorded);
  const actualEnd = cutAt(actual);
  if (recorded.slice(recordedEnd) !== actual.slice(actualEnd)) return null;
  const left = recorded.slice(0, recordedEnd).split('\r\n');
  const right = actual.slice(0, actualEnd).split('\r\n');
  if (left.length !== right.length) return null;
  const pairs: Pair[] = [];
  for (let i = 0; i < left.length; i++) {
    const found = compareLine(left[i] ?? '', right[i] ?? '');
    if (found === null) return null;
    pairs.push(...found);
  }
  // drachtio-server counts CSeqs across all calls, this gateway per call.
  return pairs.map(([kind, a, b]): Pair => (kind === 'cseq' ? [cseqOf(recorded), a, b] : [kind, a, b]));
}

/** The kind of value that a CSeq is: one per Call-ID. */
function cseqOf(text: string): string {
  const callId = /^Call-ID: (.+?)\r?$/m.exec(text)?.[1] ?? /\|([^|\r\n]+);from-tag=/.exec(text)?.[1] ?? '';
  return `cseq@${callId.replaceAll(':', '_')}`;
}

function compareLine(recorded: string, actual: string): Pair[] | null {
  const a = skeleton(recorded);
  const b = skeleton(actual);
  if (a.text !== b.text || a.names.length !== b.names.length) return null;
  return a.names.map(([kind, value], i) => [kind, value, b.names[i]?.[1] ?? '']);
}

function skeleton(line: string): { text: string; names: [kind: string, value: string][] } {
  const names: [string, string][] = [];
  let text = line;
  for (const [kind, pattern] of SIP_NAMES) {
    text = text.replace(pattern, (_, before: string, value: string) => {
      names.push([kind, value]);
      return `${before}<${kind}>`;
    });
  }
  return { text, names };
}

/** Compares frames: header fields by position, then the SIP text. */
export function compareFrame(recorded: string, actual: string): Pair[] | null {
  const left = split(recorded);
  const right = split(actual);
  if (left.fields.length !== right.fields.length) return null;
  const pairs: Pair[] = [];
  const sizeAt = left.fields[1] === 'sip' ? 3 : left.fields[4] === 'application' ? 5 : -1;
  for (let i = 0; i < left.fields.length; i++) {
    const a = left.fields[i] ?? '';
    const b = right.fields[i] ?? '';
    if (i === sizeAt) {
      if ((a === '0') !== (b === '0')) return null;
    } else if (TIME.test(a) && TIME.test(b)) continue;
    else if (VERSION.test(a) && VERSION.test(b)) continue;
    else if (UUID.test(a) && UUID.test(b)) pairs.push(['id', a, b]);
    else if (/^\d{4,5}$/.test(a) && /^\d{4,5}$/.test(b)) pairs.push(['port', a, b]);
    else if (a.includes(';from-tag=') && b.includes(';from-tag=')) {
      const [callA = '', tagA = ''] = a.split(';from-tag=');
      const [callB = '', tagB = ''] = b.split(';from-tag=');
      pairs.push(['call-id', callA, callB], ['tag', tagA, tagB]);
    } else {
      const found = compareLine(a, b);
      if (found === null) return null;
      pairs.push(...found);
    }
  }
  const sip = compareSip(left.sip, right.sip);
  return sip === null ? null : [...pairs, ...sip];
}

function split(payload: string): { fields: string[]; sip: string } {
  const end = payload.indexOf('\r\n');
  if (end < 0) return { fields: payload.split('|'), sip: '' };
  return { fields: payload.slice(0, end).split('|'), sip: payload.slice(end + 2) };
}
