/**
 * Reads SIP messages from the frames of drachtio's control connection, which contain every message as it was received, and every message
 * of ours as the SIP server sent it. Not in them, so missing in a ladder: retransmissions, the server's own 100, its ACK to a final
 * response of 300 or more, its CANCEL and the responses to CANCEL. Pure.
 */

export interface SipCapture {
  text: string;
  /** Sent by us. */
  sent: boolean;
  transport: string;
  /** Of the other party; empty if the SIP server does not report it. */
  address: string;
  port: number;
  callId: string;
  /** Of the request, or of the request that the response belongs to. */
  method: string;
  /** Null: a request. */
  status: number | null;
  /** An INVITE outside a dialog. */
  isNewInvite: boolean;
}

const CALL_ID = /\n(?:call-id|i)[ \t]*:[ \t]*([^\r\n]*)/i;
const CSEQ = /\ncseq[ \t]*:[ \t]*\d+[ \t]+([A-Za-z]+)/i;
const TO_TAG = /\n(?:to|t)[ \t]*:[^\r\n]*;[ \t]*tag[ \t]*=/i;
const RESPONSE = 'SIP/2.0 ';

/** Null: a frame without a SIP message, such as the reply to a ping. */
export function readFrame(frame: string): SipCapture | null {
  const headEnd = frame.indexOf('\r\n');
  if (headEnd < 0) return null;
  const fields = frame.slice(0, headEnd).split('|');
  const isReply = fields[1] === 'response';
  // id|sip|source|bytes|protocol|address|port|…, and id|response|command|OK|source|bytes|protocol|address|port|….
  if (isReply ? fields[3] !== 'OK' : fields[1] !== 'sip') return null;
  const at = isReply ? 6 : 4;
  const text = frame.slice(headEnd + 2);
  const callId = CALL_ID.exec(text)?.[1]?.trim();
  if (callId === undefined || callId === '') return null;
  const status = text.startsWith(RESPONSE) ? Number.parseInt(text.slice(RESPONSE.length), 10) : null;
  const method = CSEQ.exec(text)?.[1]?.toUpperCase() ?? '';
  return {
    text,
    sent: fields[isReply ? 4 : 2] === 'application',
    transport: (fields[at] ?? '').toLowerCase(),
    address: bare(fields[at + 1] ?? ''),
    port: Number(fields[at + 2]) || 0,
    callId,
    method,
    status: status === null || Number.isNaN(status) ? null : status,
    isNewInvite: status === null && method === 'INVITE' && !TO_TAG.test(text),
  };
}

/** An IPv6 address without its brackets; `unknown` is how drachtio-server reports that it has none. */
const bare = (address: string): string => (address === 'unknown' ? '' : address.replace(/^\[(.*)\]$/, '$1'));
