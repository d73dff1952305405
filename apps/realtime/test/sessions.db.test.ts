/** Sessions that messages overtake. */
import type { Session } from '@clarion/protocol/socket';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentRows } from '../src/lib/agent-rows.ts';
import { createNames } from '../src/lib/names.ts';
import { sendSession } from '../src/notify/send-session.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
beforeAll(async () => {
  fixture = await RealtimeFixture.create();
});
afterAll(() => fixture.close());

test('a call that ends between the reading and the sending of a session is not left in the app', async () => {
  const node = await fixture.startNode();
  const media = await fixture.media([node]);
  const agent = await fixture.agent('ada');
  const app = await fixture.app(node, 'ada');
  const { id: callId } = await fixture.intent(agent, await fixture.line({}));
  await app.ask('call:start', { callId, sdpOffer: 'offer' });
  await media.command('carrier:dial', callId);

  const rows = createAgentRows(fixture.db);
  let reads = 0;
  const deps = {
    db: fixture.db,
    names: createNames(fixture.db, () => false),
    turn: null,
    now: () => new Date(),
    agentRows: {
      ...rows,
      async call(id: number) {
        const row = await rows.call(id);
        reads += 1;
        if (reads === 1) await app.ask('call:hangup', { callId });
        return row;
      },
    },
  };
  const sent: Session[] = [];
  const socket = {
    data: { agentId: agent.id, tenantId: fixture.tenant.id, consumerId: fixture.consumer.id },
    emit: (_: string, session: Session) => sent.push(session),
  };
  await sendSession(deps, socket);
  expect(sent.map(({ calls }) => calls.map((call) => call.callId))).toEqual([[callId], []]);
});
