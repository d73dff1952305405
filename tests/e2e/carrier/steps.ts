/** Steps and checks shared by several tables. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { answerOf } from '@clarion/test-phone/carrier/dialog';
import { hears } from '@clarion/test-phone/carrier/hearing';
import { header, headerValues, isRequest, type SipMessage } from '@clarion/test-phone/sip/message';
import { AUDIO_WITHIN_MS, type Ringing, type Talk } from './talk.ts';

/** Asserts the status of a response. */
export function expectStatus({ status }: { status?: number }, ...allowed: number[]): void {
  assert.ok(
    status !== undefined && allowed.includes(status),
    `the status is ${status}, not ${allowed.join(' or ')}`,
  );
}

export function expectHeader(message: SipMessage | undefined, name: string, pattern: RegExp): void {
  assert.match(message ? headerValues(message, name).join(', ') : 'no message', pattern, name);
}

/** Our 200 to an INVITE of the carrier. */
export function ourAnswer(far: SipCall) {
  const answer = answerOf(far);
  assert.ok(answer, 'there is no 200');
  return answer;
}

/** The agent hears the carrier before the answer. */
export const agentHearsEarly = ({ leg, carrierHz, how }: Talk, withinMs = AUDIO_WITHIN_MS) =>
  hears(leg, carrierHz, { who: 'the agent', withinMs, ...how });

/** A ringing outbound call, in which the agent already has audio. */
export function asTalk(ringing: Ringing): Talk {
  const leg = ringing.ada.legs.get(ringing.callId);
  assert.ok(leg, 'the agent has no audio yet');
  return { ...ringing, leg };
}

/** The last received request with this method. */
export function lastRequest(far: SipCall, method: string): SipMessage {
  const last = far.received.findLast((each) => isRequest(each) && each.method === method);
  assert.ok(last, `no ${method} was received`);
  return last;
}

export const cseqOf = (message: SipMessage): number => Number(header(message, 'cseq').split(' ')[0]);

export async function agentPresses(talk: Talk, digits: string): Promise<void> {
  // Both hear each other shortly before the agent is notified that the call is connected.
  await talk.ada.waitFor(
    ({ event, payload }) => event === 'call:updated' && payload.call?.state === 'active',
  );
  await talk.ada.send('call:dtmf', { callId: talk.callId, digits });
}

const LOOK_EVERY_MS = 20;
const SEEN_WITHIN_MS = 3_000;

/** Polls for a condition that has no event of its own, such as received packets. */
export async function seen(what: () => boolean, whatNot: string, withinMs = SEEN_WITHIN_MS): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!what()) {
    assert.ok(performance.now() < deadline, whatNot);
    await sleep(LOOK_EVERY_MS);
  }
}
