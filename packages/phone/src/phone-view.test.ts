import type { AgentCall } from '@clarion/sdk';
import { aCall } from '@clarion/testkit/agents/a-call';
import { describe, expect, test } from 'vitest';
import { phoneLines, phoneView, type CallFacts, type ViewInput } from './phone-view.ts';

const info = aCall({ callId: 5 });
const facts = (change: Partial<AgentCall>, rest: Partial<CallFacts> = {}): CallFacts => ({
  info: { ...info, ...change },
  expiresAt: null,
  muted: false,
  held: false,
  here: true,
  media: 'connected',
  quality: 'good',
  warnings: [],
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
  test('is idle without calls', () => expect(view({})).toEqual({ at: 'idle' }));

  test('is the live call rather than a ringing one', () => {
    const calls = [facts({ callId: 6 }), facts({ state: 'active', answeredAt: '2026-01-01T10:00:04.000Z' })];
    expect(view({ calls })).toMatchObject({ at: 'active', call: { id: 5 }, audio: 'here' });
  });

  test('is a ringing call rather than the last summary, with other ringing calls listed', () => {
    const calls = [facts({}), facts({ callId: 6 }), facts({ callId: 7 })];
    expect(view({ calls, ended: info })).toMatchObject({
      at: 'incoming',
      call: { id: 5 },
      others: [{ call: { id: 6 } }, { call: { id: 7 } }],
    });
  });

  test("converts the service's times to the local clock", () => {
    const hour = 3_600_000;
    const calls = [facts({ state: 'active', answeredAt: '2026-01-01T11:00:04.000Z' })];
    expect(view({ calls, clockOffsetMs: hour })).toMatchObject({ answeredAt: now - 6_000 });
    const offer = facts({}, { expiresAt: new Date('2026-01-01T11:00:30.000Z') });
    expect(view({ calls: [offer], clockOffsetMs: hour })).toMatchObject({ expiresAt: now + 20_000 });
  });

  test('offers to move a call whose audio is in another tab', () => {
    const calls = [facts({ state: 'active' }, { here: false, media: 'idle' })];
    expect(view({ calls })).toMatchObject({ at: 'active', audio: 'elsewhere' });
  });

  test('shows a number that was just dialled before the call exists', () => {
    const line = {
      ref: 'wa',
      name: 'Main',
      address: '+14155550100',
      channel: 'WHATSAPP' as const,
      personal: false,
    };
    const placing = { number: '+14155550199', line, since: now };
    expect(view({ placing, ended: info })).toMatchObject({
      at: 'dialing',
      call: { customerAddress: '+14155550199', channel: 'WHATSAPP', line: 'Main' },
    });
  });

  test('shows the target of a transfer, and why it returned', () => {
    const to = { kind: 'agent', agentId: 2, name: 'Ben' } as const;
    const transfer = { to, since: '2026-01-01T10:00:05.000Z' };
    expect(view({ calls: [facts({ state: 'active', transfer })] })).toMatchObject({
      transfer: { to: 'Ben', kind: 'agent', since: now - 5_000 },
    });
    expect(view({ calls: [facts({ state: 'active', transferFailed: 'DECLINED' })] })).toMatchObject({
      transfer: null,
      transferFailed: 'DECLINED',
    });
  });

  test('shows the seconds from answer to end in the summary', () => {
    const ended = { ...info, answeredAt: '2026-01-01T10:00:01.400Z', endedAt: '2026-01-01T10:01:01.000Z' };
    expect(view({ ended })).toMatchObject({ at: 'ended', talkedSeconds: 60 });
    expect(view({ ended: { ...ended, answeredAt: null } })).toMatchObject({ talkedSeconds: 0 });
  });
});

test('a line is shown by its display name, or else by its number', () => {
  const line = {
    ref: 'main',
    type: 'SIP',
    address: '+14155550100',
    displayName: 'Main',
    personal: false,
  } as const;
  const unnamed = { ...line, ref: 'own', address: '+14155550101', displayName: null, personal: true };
  const whatsApp = { ...unnamed, ref: 'wa', type: 'WHATSAPP' } as const;
  expect(phoneLines([line, unnamed, whatsApp])).toEqual([
    { ref: 'main', address: '+14155550100', name: 'Main', channel: 'SIP', personal: false },
    { ref: 'own', address: '+14155550101', name: '+14155550101', channel: 'SIP', personal: true },
    {
      ref: 'wa',
      address: '+14155550101',
      name: 'WhatsApp +14155550101',
      channel: 'WHATSAPP',
      personal: true,
    },
  ]);
});
