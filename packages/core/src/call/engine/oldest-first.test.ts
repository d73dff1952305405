import { expect, test } from 'vitest';
import { inTurns } from './oldest-first.ts';

const at = (second: number) => new Date(second * 1000);
const call = (queueId: number, second: number) => ({ queueId, waitingSince: at(second) });

test('the oldest call of all goes first, whichever queue it is in; a queue alone has one turn', () => {
  expect(inTurns([])).toEqual([]);
  expect(inTurns([call(1, 1), call(1, 2)])).toEqual([{ queueId: 1, waitingSince: undefined }]);
  expect(inTurns([call(1, 5), call(1, 6), call(2, 7), call(1, 10)])).toEqual([
    { queueId: 1, waitingSince: at(6) },
    { queueId: 2, waitingSince: undefined },
    { queueId: 1, waitingSince: undefined },
  ]);
});
