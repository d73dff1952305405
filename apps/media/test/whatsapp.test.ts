/** A WhatsApp leg is a customer's leg to everything behind it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { containsTone } from './calls.ts';
import { eventually } from './fake-realtime.ts';
import { MediaFixture } from './media-fixture.ts';
import {
  accept,
  CUSTOMER_HZ,
  customerHears,
  inboundWhatsApp,
  outboundWhatsApp,
  type WhatsAppCall,
} from './whatsapp-calls.ts';

let fixture: MediaFixture;
const calls: WhatsAppCall[] = [];
beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(() => Promise.all(calls.splice(0).map((call) => call.close())));
afterAll(() => fixture.close());

const started = async (call: Promise<WhatsAppCall>): Promise<WhatsAppCall> => {
  calls.push(await call);
  return call;
};
const DIRECTIONS = [
  ['a customer who calls', inboundWhatsApp],
  ['a customer who is called', outboundWhatsApp],
] as const;

describe.each(DIRECTIONS)('%s', (_who, start) => {
  test('and an agent hear each other', async () => {
    const call = await accept(fixture, await started(start(fixture)));
    const { callId, legId } = call;
    const agent = await fixture.agent(callId, 'agent');
    agent.sendTone(1_000);
    await fixture.route(callId, {
      [legId]: [{ kind: 'leg', legId: 'agent' }],
      agent: [{ kind: 'leg', legId }],
    });
    await eventually('the agent hears the customer', () =>
      (['PCMU', 'PCMA'] as const).some((law) => containsTone(agent.heard, law, CUSTOMER_HZ)),
    );
    await customerHears(call, 1_000);
    expect((await fixture.realtime.fact('leg:connected', legId)).codec).toBe('OPUS');
    agent.close();
  });
});
