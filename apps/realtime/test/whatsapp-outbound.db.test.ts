/** Calls to WhatsApp customers, against the simulator of Meta. */
import type { Agent } from '@clarion/db';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import type { AppSocket } from './app-socket.ts';
import { WhatsAppScene } from './whatsapp-scene.ts';

let scene: WhatsAppScene;
let fixture: WhatsAppScene['fixture'];
let node: Realtime & { url: string };
let media: FakeMedia;
let agent: Agent;
let app: AppSocket;
let counter = 0;

beforeAll(async () => {
  scene = await WhatsAppScene.open();
  ({ fixture } = scene);
  node = await scene.startNode();
  media = await fixture.media([node]);
});
afterAll(() => scene.close());
beforeEach(async () => {
  agent = await fixture.agent(`caller-${++counter}`);
  app = await fixture.app(node, agent.ref);
  return () => app.close();
});

describe('a call to a customer', () => {
  test('rings, is answered, and is terminated when the agent hangs up', async () => {
    const customer = scene.customer();
    const { id: callId } = await scene.intent(agent, await scene.line(), customer);
    await app.ask('call:start', { callId, sdpOffer: 'offer' });
    const placed = await scene.placedTo(customer);
    await scene.reaches(placed, 'ringing');
    await media.command('whatsapp:remote', callId);
    await media.hears(
      callId,
      (await media.command('agent:connect', callId)).legId,
      ([heard]) => heard?.kind === 'tone',
    );
    scene.meta.control.answer(placed.id);
    await app.next('call:updated', ({ call }) => call.state === 'active');
    await app.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
    });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business', violations: [] });
    await media.released(callId);
    expect(await fixture.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
  });
});
