/** A phone calls an agent in a browser, who answers: where most tests of a conversation begin. */
import type { TestStack } from './stack.ts';
import type { SdkAgent } from './sdk-page.ts';
import type { SipCall } from './sip-call.ts';
import { HEARD_WITHIN_MS, hearsTone } from './hearing.ts';

export interface Tones {
  customerHz: number;
  agentHz: number;
}

/** Resolves once both sides say their tone and hear the other's. */
export async function converse(
  t: Pick<TestStack, 'phone' | 'sip'>,
  agent: SdkAgent,
  number: string,
  { customerHz, agentHz }: Tones,
): Promise<{ callId: number; call: SipCall }> {
  const phone = await t.phone();
  const seen = agent.nextEvent('incoming');
  const call = await phone.call(number, t.sip);
  const { callId } = await seen;
  await agent.accept(callId);
  await call.answered();
  call.audio.sendTone(customerHz);
  await Promise.all([
    hearsTone(call.audio, agentHz),
    agent.browserPage.hearsTone(customerHz, { withinMs: HEARD_WITHIN_MS }),
  ]);
  return { callId, call };
}
