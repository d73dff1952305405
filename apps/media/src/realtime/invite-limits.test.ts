import { expect, test } from 'vitest';
import { AcceptedSources, InviteLimits } from './invite-limits.ts';

const CARRIER = '192.0.2.1';
const STRANGER = '192.0.2.2';
/** More than a surge, and too many to be decided in time. */
const FLOOD = 1_000;

test('a flood from addresses without an accepted call leaves room for those with one', () => {
  const accepted = new AcceptedSources();
  accepted.add(CARRIER);
  const limits = new InviteLimits(accepted, () => 0);
  for (let count = 0; count < FLOOD; count += 1) limits.of(STRANGER).ask();
  expect(limits.of(STRANGER).isFull()).toBe(true);
  expect(limits.of(CARRIER).isFull()).toBe(false);
});

test('the address that was used least recently is forgotten first', () => {
  const accepted = new AcceptedSources();
  accepted.add(CARRIER);
  accepted.add(STRANGER);
  accepted.add(CARRIER);
  for (let count = 0; count < 9_999; count += 1) accepted.add(`198.51.100.1 ${count}`);
  expect([accepted.has(CARRIER), accepted.has(STRANGER)]).toEqual([true, false]);
});
