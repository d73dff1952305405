import type { AgentCall } from '@clarion/sdk';
import { describe, expect, test } from 'vitest';
import { phoneLines, phoneView, type CallFacts, type ViewInput } from './phone-view.ts';

const info: AgentCall = {
  callId: 5,
  direction: 'INBOUND',
  state: 'incoming',
  assignmentType: 'QUEUE',
  customer: { address: '+14155550123', name: 'Grace' },
  channel: { ref: 'main', type: 'SIP', address: '+14155550100', displayName: null },
  queue: { ref: 'sales', name: 'Sales' },
  externalRef: null,
  consumerMetadata: null,
  deviceId: null,
  muted: false,
  held: false,
  recording: 'OFF',
  transfer: null,
  transferFailed: null,
  transferredBy: null,
  createdAt: '2026-01-01T10:00:00.000Z',
  answeredAt: null,
  endedAt: null,
  terminationReason: null,
  terminatedBy: null,
  failureDetails: null,
};
const facts = (change: Partial<AgentCall>, rest: Partial<CallFacts> = {}): CallFacts => ({
  info: { ...info, ...change },
  expiresAt: null,
  muted: false,
  held: false,
  here: true,
  media: 'connected',
  quality: 'good',
  ...rest,
});
const now = Date.parse('2026-01-01T10:00:10.000Z');
const view = (change: Partial<ViewInput>) =>
  phoneView({
    calls: [],
    ended: null,
    answering: null,
    placing: null,
    ringingSince: new Map(),
    now,
    clockOffsetMs: 0,
    ...change,
  });

describe('what the phone shows', () => {
  test('nothing going on is idle', () => expect(view({})).toEqual({ at: 'idle' }));

  test('a running call hides one that rings', () => {
    const calls = [facts({ callId: 6 }), facts({ state: 'active', answeredAt: '2026-01-01T10:00:04.000Z' })];
    expect(view({ calls })).toMatchObject({ at: 'active', call: { id: 5 }, audio: 'here' });
  });

  test('a ringing call hides the summary of the last one, and counts the others', () => {
    const calls = [facts({}), facts({ callId: 6 }), facts({ callId: 7 })];
    expect(view({ calls, ended: info })).toMatchObject({ at: 'incoming', call: { id: 5 }, more: 2 });
  });

  test("times of the service are shown on this machine's clock", () => {
    const hour = 3_600_000;
    const calls = [facts({ state: 'active', answeredAt: '2026-01-01T11:00:04.000Z' })];
    expect(view({ calls, clockOffsetMs: hour })).toMatchObject({ answeredAt: now - 6_000 });
    const offer = facts({}, { expiresAt: new Date('2026-01-01T11:00:30.000Z') });
    expect(view({ calls: [offer], clockOffsetMs: hour })).toMatchObject({ expiresAt: now + 20_000 });
  });

  test('a call whose audio is in another tab can be brought here', () => {
    const calls = [facts({ state: 'active' }, { here: false, media: 'idle' })];
    expect(view({ calls })).toMatchObject({ at: 'active', audio: 'elsewhere' });
  });

  test('a number that was just dialled shows before the service knows the call', () => {
    const placing = { number: '+14155550199', line: 'Main', since: now };
    expect(view({ placing, ended: info })).toMatchObject({
      at: 'dialing',
      call: { customerAddress: '+14155550199', line: 'Main' },
    });
  });

  test('the summary counts the seconds from the answer to the end', () => {
    const ended = { ...info, answeredAt: '2026-01-01T10:00:01.400Z', endedAt: '2026-01-01T10:01:01.000Z' };
    expect(view({ ended })).toMatchObject({ at: 'ended', talkedSeconds: 60 });
    expect(view({ ended: { ...ended, answeredAt: null } })).toMatchObject({ talkedSeconds: 0 });
  });
});

test('a line is shown by the name that calls from it have, and without one by its number', () => {
  const line = { ref: 'main', address: '+14155550100', displayName: 'Main', personal: false };
  const unnamed = { ...line, ref: 'own', address: '+14155550101', displayName: null, personal: true };
  expect(phoneLines([line, unnamed])).toEqual([
    { ref: 'main', address: '+14155550100', name: 'Main' },
    { ref: 'own', address: '+14155550101', name: '+14155550101' },
  ]);
});
