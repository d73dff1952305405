/**
 * A parsed SIP message. All text is a "byte string": one character per octet (latin1), so nothing is re-encoded,
 * lengths are byte lengths, and UTF-8 passes through unchanged.
 */
import type { Via } from './via.ts';

export interface SipMessage {
  /** The whole message as built, or as received except for a normalised first line and line breaks. */
  readonly raw: string;
  /** Request method; in a response the method of its CSeq. */
  readonly method: string;
  /** Request-URI; '' in a response. */
  readonly uri: string;
  /** Status code; 0 in a request. */
  readonly status: number;
  readonly reason: string;
  /** Lower-case long names, parallel to `values`. */
  readonly names: readonly string[];
  /** Unfolded and trimmed values; comma-separated lists are not split. */
  readonly values: readonly string[];
  readonly body: string;
  readonly via: Via;
  /** The top Via value alone, unfolded. */
  readonly viaText: string;
  /** Where the top Via value starts and ends in `raw`. */
  readonly viaStart: number;
  readonly viaEnd: number;
  readonly callId: string;
  readonly cseq: number;
  readonly fromTag: string;
  /** '' when there is none. */
  readonly toTag: string;
}

/** First value of a header (lower-case long name), or undefined. */
export function header(message: SipMessage, name: string): string | undefined {
  const at = message.names.indexOf(name);
  return at < 0 ? undefined : message.values[at];
}

/** Every value of a header, in order, lists not split. */
export function headerAll(message: SipMessage, name: string): string[] {
  const found: string[] = [];
  for (let i = 0; i < message.names.length; i++) {
    if (message.names[i] === name) found.push(message.values[i] ?? '');
  }
  return found;
}

/** Whether a comma-separated token list such as Supported or Require contains the token (lower case). */
export function hasToken(message: SipMessage, name: string, token: string): boolean {
  for (let i = 0; i < message.names.length; i++) {
    if (message.names[i] !== name) continue;
    for (const item of (message.values[i] ?? '').split(','))
      if (item.trim().toLowerCase() === token) return true;
  }
  return false;
}
