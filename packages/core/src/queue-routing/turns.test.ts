import { expect, test } from 'vitest';
import { inTurns } from './turns.ts';

const waiting = (callId: number) => ({ callId, ringingAt: [], declined: [], missed: {}, skills: [] });
const queued = (queueId: number, callId: number) => ({ queueId, call: waiting(callId) });

test('the oldest call of all has the first turn, whichever queue it is in', () => {
  expect(inTurns([])).toEqual([]);
  expect(inTurns([queued(1, 1), queued(1, 2)])).toEqual([{ queueId: 1, calls: [waiting(1), waiting(2)] }]);
  expect(inTurns([queued(1, 1), queued(1, 2), queued(2, 3), queued(1, 4)])).toEqual([
    { queueId: 1, calls: [waiting(1), waiting(2)] },
    { queueId: 2, calls: [waiting(3)] },
    { queueId: 1, calls: [waiting(4)] },
  ]);
});
