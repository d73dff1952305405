/** For tests of what happens to a conversation when something fails. */
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { expect } from 'vitest';
import type { TestContext } from 'vitest';
import { RealtimeFixture } from './fixture.ts';

/** For `test.extend`: each test has a database of its own, so that they can run concurrently. Most of their time is waiting. */
export const ownFixture = {
  async fixture(
    { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
    use: (fixture: RealtimeFixture) => Promise<void>,
  ) {
    const fixture = await RealtimeFixture.create();
    onTestFinished(() => fixture.close());
    await use(fixture);
  },
};

/** A conversation through this node: an agent, a line and a customer. */
export async function talk(fixture: RealtimeFixture, node: { url: string }, media: FakeMedia, ref = 'anna') {
  const agent = await fixture.agent(ref, { shift: 'AVAILABLE' });
  const line = await fixture.line({ inboundQueueId: (await fixture.queue([agent])).id });
  const app = await fixture.app(node, ref);
  const { answer, question } = await media.invite({ requestUser: line.address });
  if (answer.action !== 'accept') throw new Error(answer.reason);
  const { callId } = answer;
  await app.next('call:incoming');
  await app.ask('call:accept', { callId, sdpOffer: 'offer' });
  await app.next('call:updated', ({ call }) => call.answeredAt !== null);
  return { agent, app, callId, legId: question.legId };
}

export async function expectOneEnding(fixture: RealtimeFixture, callId: number): Promise<void> {
  expect(await fixture.eventsOf(callId)).toEqual([
    'call.created',
    'call.ringing',
    'call.answered',
    'call.ended',
  ]);
  expect(await fixture.db.agent.count({ where: { currentCallId: callId } })).toBe(0);
}
