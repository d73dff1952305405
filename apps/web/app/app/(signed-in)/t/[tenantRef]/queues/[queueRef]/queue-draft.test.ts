import { putQueueBody } from '@clarion/protocol/v1/tenant/queues';
import { expect, test } from 'vitest';
import { bodyOf, draftOf, moved, readPasted } from './queue-draft.ts';
import type { MemberDraft } from './queue-draft.ts';

const at = '2026-01-05T09:00:00.000Z';
const sales = {
  id: 3,
  ref: 'sales',
  name: 'Sales',
  strategy: 'PRIORITY' as const,
  ringTimeoutSeconds: 15,
  maxWaitSeconds: null,
  overflowQueueId: 4,
  holdAudioAssetId: 9,
  maxActiveCalls: 12,
  wrapUpSeconds: 30,
  announcePosition: true,
  announceWait: true,
  announceEverySeconds: 45,
  callbackKey: '*',
  skillsWaitSeconds: 0,
  answerWhileWaiting: true,
  members: [{ agentRef: 'ada', agentId: 7, priority: 5, skills: ['german', 'billing'] }],
  createdAt: at,
  updatedAt: at,
};
const backUp = { ...sales, id: 4, ref: 'back-up' };

test('a queue that is saved unchanged stays what it was, in every field', () => {
  const body = putQueueBody.parse(bodyOf(draftOf(sales, [sales, backUp])));
  const { id: _, ref: __, createdAt: ___, updatedAt: ____, overflowQueueId: _____, ...kept } = sales;
  expect(body).toEqual({
    ...kept,
    overflowQueueRef: 'back-up',
    members: [{ agentRef: 'ada', priority: 5, skills: ['german', 'billing'] }],
  });
});

test('what is empty is sent as none', () => {
  const draft = { ...draftOf(sales, []), holdAudioId: '', callbackKey: '', maxActiveCalls: null };
  expect(bodyOf(draft)).toMatchObject({
    overflow_queue_ref: null,
    hold_audio_asset_id: null,
    callback_key: null,
    max_active_calls: null,
  });
});

test('a member who is moved takes the priority of the place, and the others follow', () => {
  const [ada, ben, cy] = ['ada', 'ben', 'cy'].map((agentRef, index): MemberDraft => ({
    agentRef,
    priority: index === 2 ? 900 : 1,
    skills: '',
  })) as [MemberDraft, MemberDraft, MemberDraft];
  expect(moved([ada, ben, cy], 2, 0)).toEqual([
    { ...cy, priority: 1 },
    { ...ada, priority: 2 },
    { ...ben, priority: 3 },
  ]);
  expect(moved([ada, ben], 0, -1)).toEqual([ada, ben]);
  expect(moved([ada, ben], 1, 2)).toEqual([ada, ben]);
});

test('pasted refs are taken once each, and those that are there or unknown are told', () => {
  expect(readPasted('ada, ben;cy\n\nada zoe', ['ada', 'ben', 'cy'], ['cy'])).toEqual({
    add: ['ada', 'ben'],
    there: ['cy'],
    unknown: ['zoe'],
  });
  expect(readPasted('  ', ['ada'], [])).toEqual({ add: [], there: [], unknown: [] });
});
