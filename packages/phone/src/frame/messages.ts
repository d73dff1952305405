/**
 * What the embedded page `/embed/phone/{account}` and the page around it say to each other with postMessage. The frame asks and tells,
 * the parent answers under the same `id`. Pure.
 */
import type { PhoneEvent } from '../use-phone-events.ts';

export type FrameRequest =
  /** Answered with `clarion:token` or `clarion:error`. */
  | { type: 'clarion:token-request'; id: number }
  /** The agent dials. Answered with `clarion:call` or `clarion:error`. */
  | { type: 'clarion:call-request'; id: number; line: string; to: string }
  /** The agent wrote about a call. Not answered. */
  | { type: 'clarion:note'; callId: number; text: string }
  /** Not answered. `detail` is that of the custom element's event of this name. */
  | { type: 'clarion:event'; event: PhoneEvent['type']; detail: object }
  /** The agent made the phone a bar, or a phone again. Not answered. */
  | { type: 'clarion:minimised'; minimised: boolean };

export type FrameAnswer =
  | { type: 'clarion:token'; id: number; token: string }
  | { type: 'clarion:call'; id: number; callId: number }
  /** `message` is shown to the agent. */
  | { type: 'clarion:error'; id: number; message: string };

/** What came by postMessage, if it is an answer as it must be. */
export function readAnswer(data: unknown): FrameAnswer | null {
  if (typeof data !== 'object' || data === null) return null;
  const { type, id, token, callId, message } = data as Record<string, unknown>;
  if (typeof id !== 'number') return null;
  if (type === 'clarion:token' && typeof token === 'string') return { type, id, token };
  if (type === 'clarion:call' && typeof callId === 'number') return { type, id, callId };
  if (type === 'clarion:error' && typeof message === 'string') return { type, id, message };
  return null;
}
