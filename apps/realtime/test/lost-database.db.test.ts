/** Every database connection is closed, as by a restart of the server: apps stay connected, and calls continue. */
import { describe, expect, test as base } from 'vitest';
import type { AppSocket } from './app-socket.ts';
import { expectOneEnding, ownFixture, talk } from './conversation.ts';
import type { RealtimeFixture } from './fixture.ts';

/** Longer than a reconnection of the fan-out, up to 3 s, on a busy machine. */
const SLOW_MS = 45_000;

const test = base.extend<{ fixture: RealtimeFixture }>(ownFixture);

describe.concurrent('when every database connection is closed', () => {
  test(
    'nothing crashes, and a call ends as usual',
    async ({ fixture }) => {
      const node = await fixture.startNode();
      const media = await fixture.media([node]);
      const { app, callId } = await talk(fixture, node, media);
      await fixture.cutConnections();
      const left = await fixture.until(async () => {
        const reply = await app.send('call:hangup', { callId }).catch(() => undefined);
        return reply?.ok ? reply : undefined;
      }, 'the hang-up to be taken');
      expect(left.ok).toBe(true);
      await fixture.ended(callId);
      await media.released(callId);
      await expectOneEnding(fixture, callId);
      expect((await fetch(`${node.url}/readyz`)).status).toBe(200);
    },
    SLOW_MS,
  );

  test(
    'apps receive their state again, and changes of other nodes',
    async ({ fixture }) => {
      const [node, other] = [await fixture.startNode(), await fixture.startNode()];
      const row = await fixture.agent('two-devices', { shift: 'AVAILABLE' });
      const desk = await fixture.app(node, row.ref, 'desk');
      const phone = await fixture.app(other, row.ref, 'phone');
      for (const app of [desk, phone]) app.clearReceived();
      await fixture.cutConnections();
      await Promise.all([desk.next('session'), phone.next('session')]);
      await desk.ask('availability:set', { status: 'OFFLINE' });
      // If its node does not listen to the other yet, the change is in the session that follows when it does.
      await Promise.any([
        phone.next('agent:updated', ({ agent }) => agent.availability === 'OFFLINE'),
        phone.next('session', ({ agent }) => agent.availability === 'OFFLINE'),
      ]);
    },
    SLOW_MS,
  );

  test(
    'an app stays connected while its session is checked for a newer state',
    async ({ fixture }) => {
      const node = await fixture.startNode();
      const row = await fixture.agent('just-connected', { shift: 'AVAILABLE' });
      // The session is read in between, so that only the check waits for the keys.
      const unlockLines = await fixture.lockTable('Channel');
      const connecting = fixture.app(node, row.ref);
      await fixture.waitsForLock('"Channel"');
      const unlockKeys = await fixture.lockTable('SigningKey');
      await unlockLines();
      const app = await connecting;
      await fixture.waitsForLock('"SigningKey"');
      await expectNewSession(fixture, app, unlockKeys);
    },
    SLOW_MS,
  );

  test(
    'an app stays connected while the waiting calls of its agent are looked for',
    async ({ fixture }) => {
      const node = await fixture.startNode();
      const row = await fixture.agent('just-connected', { shift: 'AVAILABLE' });
      const unlock = await fixture.lockTable('LiveCall');
      const app = await fixture.app(node, row.ref);
      await fixture.waitsForLock('awaitedOwnerId');
      await expectNewSession(fixture, app, unlock);
    },
    SLOW_MS,
  );
});

/** Every app that is still connected receives one when the database responds again. */
async function expectNewSession(
  fixture: RealtimeFixture,
  app: AppSocket,
  unlock: () => Promise<void>,
): Promise<void> {
  app.clearReceived();
  await fixture.cutConnections();
  await unlock().catch(() => undefined); // its connection was closed too
  await app.next('session');
  await app.ask('availability:set', { status: 'OFFLINE' });
}
