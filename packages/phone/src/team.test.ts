import type { BoardCall } from '@clarion/sdk';
import { expect, test } from 'vitest';
import { teamCall } from './team.ts';

const call: BoardCall = {
  callId: 1,
  direction: 'INBOUND',
  state: 'active',
  customer: { address: '+442071838750', addressWithheld: false, name: 'Grace Hopper' },
  channelRef: 'support',
  channelType: 'SIP',
  channelName: null,
  queue: null,
  agent: { agentId: 7, agentRef: 'ada', name: 'Ada' },
  held: true,
  recording: 'OFF',
  monitors: [
    { name: 'Olivia', mode: 'LISTEN' },
    { name: 'Mary', mode: 'LISTEN' },
  ],
  createdAt: '2026-01-01T10:00:00.000Z',
  waitingSince: null,
  answeredAt: '2026-01-01T10:00:30.000Z',
  version: 1,
};

test('a supervisor is not listed among the listeners of the call that they monitor', () => {
  expect(teamCall(call, 0, 'Olivia').listeners).toEqual(['Mary']);
  expect(teamCall(call, 0, null).listeners).toEqual(['Olivia', 'Mary']);
});

test('a colleague of the same name is still listed', () => {
  const twice = { ...call, monitors: [...call.monitors, { name: 'Olivia', mode: 'LISTEN' as const }] };
  expect(teamCall(twice, 0, 'Olivia').listeners).toEqual(['Mary', 'Olivia']);
});

test('a call on hold is timed since its answer', () => {
  expect(teamCall(call, 0, null)).toMatchObject({
    held: true,
    since: Date.parse('2026-01-01T10:00:30.000Z'),
  });
});
