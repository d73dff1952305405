/**
 * The messages between the frame `/embed/phone/{account}` and its parent page, sent with postMessage. The frame sends requests and
 * notifications, and the parent replies with the same `id`. Pure.
 */
import type { PhoneEvent } from '../use-phone-events.ts';

export type FrameRequest =
  /** A request; the reply is `clarion:token` or `clarion:error`. */
  | { type: 'clarion:token-request'; id: number }
  /** The agent dials. The reply is `clarion:call` or `clarion:error`. */
  | { type: 'clarion:call-request'; id: number; line: string; to: string }
  /** The agent changed the note of a call. No reply. */
  | { type: 'clarion:note'; callId: number; text: string }
  /** No reply. `detail` is that of the custom element's event of this name. */
  | { type: 'clarion:event'; event: PhoneEvent['type']; detail: object }
  /** The agent minimised or restored the phone. No reply. */
  | { type: 'clarion:minimised'; minimised: boolean };

export type FrameReply =
  | { type: 'clarion:token'; id: number; token: string }
  | { type: 'clarion:call'; id: number; callId: number }
  /** `message` is shown to the agent. */
  | { type: 'clarion:error'; id: number; message: string };

/** The data of a postMessage event, if it is a valid reply. */
export function readReply(data: unknown): FrameReply | null {
  if (typeof data !== 'object' || data === null) return null;
  const { type, id, token, callId, message } = data as Record<string, unknown>;
  if (typeof id !== 'number') return null;
  if (type === 'clarion:token' && typeof token === 'string') return { type, id, token };
  if (type === 'clarion:call' && typeof callId === 'number') return { type, id, callId };
  if (type === 'clarion:error' && typeof message === 'string') return { type, id, message };
  return null;
}
