/** Endings that depend on the phase of a call: insufficient credit, and an agent who hangs up while it is being answered. */
import type { LegEnd } from '@clarion/protocol/media';
import { describe, expect, test } from 'vitest';
import { beginInboundCall, beginIntent } from './arrival.ts';
import type { CallEvent } from './event.ts';
import { nextDeadline, step } from './machine.ts';
import type { Step } from './machine.ts';
import { DEFAULT_MAX_CALL_SECONDS } from './timing.ts';
import { begin, FLOW, placeInQueue } from './__fixtures__/beginnings.ts';
import { reservedAgentIds } from './state.ts';

const T0 = 1_700_000_000_000;
const ADA = 1;
const call = { callId: 7, record: false, mediaPath: 'ROOM' } as const;
const codec = 'PCMA';

const intent = () =>
  beginIntent(
    { ...call, agentId: ADA, dial: { trunkId: 1, called: '44', caller: '33', callerName: null } },
    T0,
  );
const toOwner = () =>
  beginInboundCall(
    {
      ...call,
      mediaNodeId: 'media-1',
      carrierLegId: 'customer',
      route: { kind: 'owner', agentId: ADA, ringTimeoutSeconds: 30, owner: 'reserved' },
    },
    T0,
  );

/** The effects of a call from its beginning, one second per event. */
function life(first: Step, ...events: CallEvent[]): Step & { said: string[] } {
  let { state } = first;
  const effects = [...first.effects];
  events.forEach((event, i) => {
    const next = step(state, event, T0 + (i + 1) * 1000);
    state = next.state;
    effects.push(...next.effects);
  });
  const said = effects.flatMap((effect) => (effect.kind === 'publish' ? [effect.event] : []));
  return { state, effects, said };
}

const start = {
  type: 'start',
  agentId: ADA,
  deviceId: 'desk',
  legId: 'leg',
  mediaNodeId: 'media-1',
} as const;
const accept = { type: 'accept', agentId: ADA, deviceId: 'desk', legId: 'leg' } as const;
const agentStands = { type: 'leg-connected', legId: 'leg', codec } as const;
const confirmed = { type: 'leg-connected', legId: 'customer', codec } as const;
const hangup = { type: 'hangup', agentId: ADA } as const;
const gone = (legId: string, cause: LegEnd['cause']): CallEvent => ({
  type: 'leg-ended',
  legId,
  end: { cause, sipStatus: null, sipReason: null, q850: null, provisional: false, message: cause },
  stats: null,
});
const outcomeOf = ({ state }: Step) =>
  state.phase === 'ended' ? [state.outcome.terminationReason, state.outcome.terminatedBy] : state.phase;

describe('an account without credit', () => {
  const spent = { type: 'credit-exhausted' } as const;
  test.each([
    ['while the customer is dialled', intent(), [start, agentStands]],
    ['while the agent is rung', toOwner(), []],
    ['while the agent connects', toOwner(), [accept]],
    ['in the middle of a conversation', toOwner(), [accept, agentStands, confirmed]],
  ] as [string, Step, CallEvent[]][])('%s ends the call CREDIT_EXHAUSTED by SYSTEM', (_, first, events) => {
    const ended = life(first, ...events, spent, spent);
    expect(outcomeOf(ended)).toEqual(['CREDIT_EXHAUSTED', 'SYSTEM']);
    expect(ended.said.filter((event) => event === 'call.ended')).toHaveLength(1);
    expect(ended.effects).toContainEqual({
      kind: 'agent',
      agentId: ADA,
      change: ended.said.includes('call.answered') ? 'talked' : 'free',
    });
  });

  test('sends 503 to a carrier whose call was not answered', () => {
    const { effects } = life(toOwner(), spent);
    expect(effects).toContainEqual({
      kind: 'media',
      mediaNodeId: 'media-1',
      order: { command: 'call:release', status: 503 },
    });
  });

  test('does not end an intent, which has cost nothing yet', () => {
    expect(outcomeOf(life(intent(), spent))).toBe('intent');
  });
});

describe('an agent who hangs up as the call is being answered', () => {
  test('before our 200: the call was declined, once media has ended their leg', () => {
    expect(outcomeOf(life(toOwner(), accept, hangup))).toBe('connecting');
    expect(outcomeOf(life(toOwner(), accept, hangup, gone('leg', 'local')))).toEqual(['REJECTED', 'AGENT']);
  });

  test('after our 200: it is answered and COMPLETED by AGENT when the carrier acknowledges it, once', () => {
    const waiting = life(toOwner(), accept, agentStands, hangup, hangup);
    expect(outcomeOf(waiting)).toBe('connecting');
    const ended = life(toOwner(), accept, agentStands, hangup, confirmed, confirmed);
    expect(outcomeOf(ended)).toEqual(['COMPLETED', 'AGENT']);
    expect(ended.said).toEqual(['call.created', 'call.ringing', 'call.answered', 'call.ended']);
  });

  test('after our 200, when the caller hung up too: the caller was first', () => {
    const customerGone = gone('customer', 'remote-bye');
    expect(outcomeOf(life(toOwner(), accept, agentStands, hangup, customerGone))).toEqual([
      'CANCELLED',
      'CUSTOMER',
    ]);
  });

  test('and is removed after our 200: the caller does not return to a silent queue', () => {
    const removed = { type: 'agent-removed', agentId: ADA } as const;
    expect(outcomeOf(life(toOwner(), accept, agentStands, removed))).toEqual([
      'AGENT_DISCONNECTED',
      'SYSTEM',
    ]);
  });
});

describe('the maximum duration of a call', () => {
  const limit = { maxCallSeconds: 600 };
  const queued = (maxWaitSeconds: number | null) =>
    placeInQueue().stops.map((stop) => ({ ...stop, maxWaitSeconds, skillsWaitSeconds: null }));
  const inbound = (route: Parameters<typeof beginInboundCall>[0]['route']) =>
    beginInboundCall({ ...call, mediaNodeId: 'media-1', carrierLegId: 'customer', route, ...limit }, T0);
  const owner = { kind: 'owner', agentId: ADA, ringTimeoutSeconds: 30, owner: 'reserved' } as const;

  test.each([
    ['a conversation', inbound(owner), [accept, agentStands, confirmed], 'COMPLETED', 600],
    [
      'an outbound conversation, from its start',
      intent(),
      [{ ...start, ...limit }, agentStands, { ...confirmed, legId: 'call-7-customer' }],
      'COMPLETED',
      601,
    ],
    ['a wait without max_wait_seconds', inbound({ kind: 'queue', stops: queued(null) }), [], 'TIMEOUT', 600],
  ] as [string, Step, CallEvent[], string, number][])('ends %s', (_, first, events, reason, seconds) => {
    const { state } = life(first, ...events);
    expect(nextDeadline(state)).toBe(T0 + seconds * 1000);
    expect(step(state, { type: 'tick' }, T0 + seconds * 1000 - 1).state).toBe(state);
    const ended = step(state, { type: 'tick' }, T0 + seconds * 1000);
    expect(outcomeOf(ended)).toEqual([reason, 'SYSTEM']);
    expect(ended.effects.filter((effect) => effect.kind === 'agent').map(({ agentId }) => agentId)).toEqual(
      reservedAgentIds(state),
    );
    if ('carrierLegId' in state)
      expect(ended.effects).toContainEqual(
        expect.objectContaining({
          kind: 'media',
          order: expect.objectContaining({ command: 'call:release' }),
        }),
      );
  });

  test('ends an IVR session as TERMINATED', () => {
    const { state } = begin.flow();
    const { effects } = step(state, { type: 'tick' }, (state.phase === 'ended' ? 0 : state.endBy) ?? 0, FLOW);
    expect(effects).toContainEqual({ kind: 'ivr', change: 'end', completed: false, outcome: 'TERMINATED' });
  });

  test('is a day by default, and does not shorten the two minutes of an intent', () => {
    expect(toOwner().state).toMatchObject({ endBy: T0 + DEFAULT_MAX_CALL_SECONDS * 1000 });
    const begun = intent().state;
    expect(nextDeadline(begun)).toBe(T0 + 120_000);
    expect(begun.endBy).toBeUndefined();
  });

  test('an intent cannot be started after its two minutes, however late the periodic check is', () => {
    const { state } = intent();
    expect(step(state, start, T0 + 119_999).state.phase).toBe('dialing');
    expect(step(state, start, T0 + 120_000).state).toBe(state);
  });

  test('a call without a maximum duration continues', () => {
    const { state } = life(toOwner(), accept, agentStands, confirmed);
    if (state.phase !== 'talking') throw new Error(`the call is ${state.phase}`);
    const { endBy: _, ...before } = state;
    expect(nextDeadline(before)).toBeNull();
    expect(step(before, { type: 'tick' }, T0 * 2).state).toBe(before);
  });
});
