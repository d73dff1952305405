/** Calls of WhatsApp customers, against the simulator of Meta. */
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { WhatsAppScene } from './whatsapp-scene.ts';

let scene: WhatsAppScene;
let fixture: WhatsAppScene['fixture'];
let node: Realtime & { url: string };
let media: FakeMedia;

beforeAll(async () => {
  scene = await WhatsAppScene.open();
  ({ fixture } = scene);
  node = await scene.startNode();
  media = await fixture.media([node]);
});
afterAll(() => scene.close());

describe('a shared line', () => {
  test('accepts the call at once, opens audio after that, and an agent talks to the customer', async () => {
    const anna = await fixture.agent('anna', { shift: 'AVAILABLE' });
    const queue = await fixture.queue([anna]);
    const line = await scene.line({ inboundQueueId: queue.id });
    const app = await fixture.app(node, 'anna');
    const placed = await scene.ring(line);
    await scene.reaches(placed, 'accepted');
    const { callId } = (await app.next('call:incoming')).call;
    const { legId } = await media.command('whatsapp:open', callId);
    expect((await media.command('whatsapp:answer', callId)).legId).toBe(legId);
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    await app.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({
      channelType: 'WHATSAPP',
      customerAddressType: 'WHATSAPP_USER',
      customerName: 'Ana',
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
    });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business', violations: [] });
    await media.released(callId);
    app.close();
  });
});
