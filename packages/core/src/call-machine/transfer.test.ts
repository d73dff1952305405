/** A transferred conversation step by step: notifications, and the contents of the rows. */
import { describe, expect, test } from 'vitest';
import { beginInboundCall } from './arrival.ts';
import type { Effect } from './effects.ts';
import type { CallEvent } from './event.ts';
import { nextDeadline, step } from './machine.ts';
import { activeQueueOf } from './state.ts';
import type { CallState, TalkingState } from './state.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import { AGENT_CONNECT_MS, AGENT_GRACE_MS, OFFER_GONE_MS } from './timing.ts';

const T0 = 1_700_000_000_000;
const RING_SECONDS = 30;
const stop = (queueId: number, more: Partial<OverflowHop> = {}): OverflowHop => ({
  queueId,
  ref: `q${queueId}`,
  ringTimeoutSeconds: 20,
  maxWaitSeconds: 60,
  holdAudio: 'music',
  wrapUpSeconds: 7,
  announce: { position: true, wait: false, everySeconds: 15 },
  callbackKey: null,
  skillsWaitSeconds: null,
  answerWhileWaiting: false,
  ...more,
});

/** One call, stepped through. Agent 1 has it, through queue 10. */
class Told {
  state: CallState;
  effects: Effect[] = [];
  now = T0;

  constructor() {
    const arrival = { callId: 7, record: true, mediaPath: 'ROOM', mediaNodeId: 'node' } as const;
    const route = { kind: 'queue', stops: [stop(10)] } as const;
    ({ state: this.state } = beginInboundCall(
      { ...arrival, carrierLegId: 'customer', route: { ...route, stops: [...route.stops] } },
      T0,
    ));
    this.happens({ type: 'offer', queueId: 10, agentIds: [1], ringTimeoutSeconds: 20 });
    this.happens({ type: 'accept', agentId: 1, deviceId: 'desk', legId: 'first' });
    this.happens({ type: 'leg-connected', legId: 'first', codec: 'PCMA' });
    this.happens({ type: 'leg-connected', legId: 'customer', codec: 'PCMA' });
  }

  happens(event: CallEvent, afterMs = 0): Effect[] {
    this.now += afterMs;
    const next = step(this.state, event, this.now);
    this.state = next.state;
    this.effects = next.effects;
    return next.effects;
  }

  /** Time passes until the next deadline, which it returns in ms from now. */
  waits(): number {
    const at = nextDeadline(this.state) ?? Number.NaN;
    const span = at - this.now;
    this.happens({ type: 'tick' }, span);
    return span;
  }

  transfers(to: 'agent' | 'queue' = 'agent', stops = [stop(20), stop(21)]): Effect[] {
    return this.happens({
      type: 'transfer',
      agentId: 1,
      to:
        to === 'agent'
          ? { kind: 'agent', agentId: 2, ringTimeoutSeconds: RING_SECONDS }
          : { kind: 'queue', stops },
    });
  }

  accepts(agentId = 2): Effect[] {
    return this.happens({ type: 'accept', agentId, deviceId: 'phone', legId: `leg-${agentId}` });
  }

  get talking(): TalkingState {
    if (this.state.phase !== 'talking') throw new Error(`the call is ${this.state.phase}`);
    return this.state;
  }
  get failure(): unknown {
    const record = this.effects.find((one) => one.kind === 'record' && one.type === 'TRANSFER_FAILED');
    return record?.kind === 'record' ? record.metadata?.['reason'] : undefined;
  }
  route(): Record<string, unknown> {
    const sent = this.effects.flatMap((one) =>
      one.kind === 'media' && one.order.command === 'call:route' ? [one.order] : [],
    );
    return sent.at(-1)?.route ?? {};
  }
  told(agentId: number): string[] {
    return this.effects.flatMap((one) =>
      one.kind === 'notify-agent' && one.agentId === agentId
        ? [one.what.message === 'withdrawn' ? `withdrawn ${one.what.reason}` : one.what.message]
        : [],
    );
  }
  agent(agentId: number): unknown[] {
    return this.effects.filter((one) => one.kind === 'agent' && one.agentId === agentId);
  }
}

const music = [{ kind: 'audio', clips: [{ file: 'music' }], loop: true, playId: 'hold-10' }];
const ringback = [{ kind: 'tone', tone: 'ringback' }];
const together = {
  customer: [{ kind: 'leg', legId: 'first' }],
  first: [{ kind: 'leg', legId: 'customer' }],
};

describe('to a colleague', () => {
  test('reserves them for the call, and plays hold audio to the customer and ringback to the agent', () => {
    const call = new Told();
    call.transfers();
    expect(call.route()).toEqual({ customer: music, first: ringback });
    expect(call.agent(2)).toEqual([{ kind: 'agent', agentId: 2, change: 'reserve' }]);
    expect(call.told(2)).toEqual(['incoming']);
    expect(call.told(1)).toEqual(['updated']);
  });

  test('once their audio is connected, one route replaces the first agent, who wraps up', () => {
    const call = new Told();
    call.transfers();
    call.accepts();
    expect(call.route()).toEqual({});
    call.happens({ type: 'leg-connected', legId: 'leg-2', codec: 'PCMA' }, 800);
    expect(call.route()).toEqual({
      customer: [{ kind: 'leg', legId: 'leg-2' }],
      'leg-2': [{ kind: 'leg', legId: 'customer' }],
    });
    expect(call.agent(1)).toEqual([{ kind: 'agent', agentId: 1, change: 'talked', wrapUpSeconds: 7 }]);
    expect(call.told(1)).toEqual(['left', 'agent']);
    expect(call.told(2)).toEqual(['updated', 'agent']);
    expect(call.effects).toContainEqual({
      kind: 'media',
      mediaNodeId: 'node',
      order: { command: 'leg:hangup', legId: 'first' },
    });
    expect(call.talking).toMatchObject({
      agent: { agentId: 2 },
      assignmentType: 'TRANSFER',
      transferredBy: 1,
      transfer: null,
    });
    expect(activeQueueOf(call.state)).toBe(10);
  });

  test('an offer that expires counts as missed', () => {
    const call = new Told();
    call.transfers();
    expect(call.waits()).toBe(RING_SECONDS * 1000);
    expect(call.failure).toBe('NO_ANSWER');
    expect(call.route()).toEqual(together);
    expect(call.agent(2)).toEqual([{ kind: 'agent', agentId: 2, change: 'missed' }]);
    expect(call.told(2)).toEqual(['withdrawn TIMEOUT', 'agent']);
  });

  test('whose apps disconnect is not waited for, unless they reconnect in a moment', () => {
    const call = new Told();
    call.transfers();
    call.happens({ type: 'agent-gone', agentId: 2 }, 1000);
    call.happens({ type: 'agent-back', agentId: 2 }, OFFER_GONE_MS - 1);
    expect(call.waits()).toBe((RING_SECONDS - 1) * 1000 - OFFER_GONE_MS + 1);
    expect(call.failure).toBe('NO_ANSWER');
    call.transfers();
    call.happens({ type: 'agent-gone', agentId: 2 });
    expect(call.waits()).toBe(OFFER_GONE_MS);
    expect(call.failure).toBe('AGENT_GONE');
    expect(call.agent(2)).toEqual([{ kind: 'agent', agentId: 2, change: 'free' }]);
  });

  test('whose audio fails returns the call, with audio', () => {
    const call = new Told();
    call.transfers();
    call.accepts();
    expect(call.waits()).toBe(AGENT_CONNECT_MS);
    expect(call.failure).toBe('CONNECT_FAILED');
    expect(call.route()).toEqual(together);
    expect(call.told(2)).toEqual(['left', 'agent']);
    expect(call.effects).toContainEqual({ kind: 'leave', who: { agentId: 2 }, reason: 'ENDED' });
  });

  test('keeps the first agent’s leg in the call detail until they are replaced', () => {
    const call = new Told();
    call.transfers();
    const legs = (effects: Effect[]) => effects.filter(({ kind }) => kind === 'leg');
    expect(legs(call.accepts())).toEqual([]);
    expect(legs(call.happens({ type: 'resume', agentId: 2, deviceId: 'tablet', legId: 'leg-2b' }))).toEqual(
      [],
    );
    expect(legs(call.happens({ type: 'leg-connected', legId: 'leg-2b', codec: 'PCMA' }))).toMatchObject([
      { leg: 'AGENT', state: 'CONNECTED', agentId: 2, deviceId: 'tablet', legId: 'leg-2b' },
    ]);
  });

  test('repeated or late events change nothing', () => {
    const call = new Told();
    call.transfers();
    expect(call.transfers()).toEqual([]);
    call.accepts();
    expect(call.accepts()).toEqual([]);
    expect(call.happens({ type: 'decline', agentId: 3 })).toEqual([]);
    call.happens({ type: 'leg-connected', legId: 'leg-2', codec: 'PCMA' });
    for (const event of [
      { type: 'leg-connected', legId: 'leg-2', codec: 'PCMA' },
      { type: 'transfer-cancel', agentId: 1 },
      { type: 'hangup', agentId: 1 },
      { type: 'hold', agentId: 1, held: true },
      { type: 'agent-gone', agentId: 1 },
      { type: 'tick' },
    ] as const)
      expect(call.happens(event), event.type).toEqual([]);
  });

  test('keeps the hold state if it returns; with the new agent the call is not on hold', () => {
    const call = new Told();
    call.happens({ type: 'hold', agentId: 1, held: true });
    call.transfers();
    call.happens({ type: 'decline', agentId: 2 });
    expect(call.route()).toEqual({ customer: music, first: [] });
    call.transfers();
    call.accepts();
    call.happens({ type: 'leg-connected', legId: 'leg-2', codec: 'PCMA' });
    expect(call.talking.held).toBe(false);
  });
});

describe('the agent who transfers', () => {
  test('hangs up: the call ends for everyone, and the agent being rung is released', () => {
    const call = new Told();
    call.transfers();
    call.happens({ type: 'hangup', agentId: 1 });
    expect(call.state).toMatchObject({
      phase: 'ended',
      outcome: { terminationReason: 'COMPLETED', terminatedBy: 'AGENT' },
    });
    expect(call.told(2)).toEqual(['withdrawn CANCELLED']);
    expect(call.agent(2)).toEqual([{ kind: 'agent', agentId: 2, change: 'free' }]);
  });

  test('is disconnected for too long: the transfer continues, and the call ends only if it fails', () => {
    const call = new Told();
    call.transfers('queue', [stop(20, { maxWaitSeconds: 120 })]);
    call.happens({ type: 'agent-gone', agentId: 1 });
    call.happens({ type: 'tick' }, AGENT_GRACE_MS + 1000);
    expect(call.talking.transfer).not.toBeNull();
    call.waits();
    expect(call.failure).toBe('QUEUE_TIMEOUT');
    expect(call.state).toMatchObject({
      phase: 'ended',
      outcome: { terminationReason: 'AGENT_DISCONNECTED', terminatedBy: 'SYSTEM' },
    });
  });

  test('is disconnected when it fails: has the remaining time to return', () => {
    const call = new Told();
    call.transfers();
    call.happens({ type: 'agent-gone', agentId: 1 }, 1000);
    call.happens({ type: 'decline', agentId: 2 }, 4000);
    expect(call.waits()).toBe(AGENT_GRACE_MS - 4000);
    expect(call.state).toMatchObject({ outcome: { terminationReason: 'AGENT_DISCONNECTED' } });
  });

  test('is removed: the colleague may still answer, otherwise the call ends immediately', () => {
    const call = new Told();
    call.transfers();
    call.happens({ type: 'agent-removed', agentId: 1 });
    expect(call.happens({ type: 'agent-removed', agentId: 1 })).toEqual([]);
    call.accepts();
    call.happens({ type: 'leg-connected', legId: 'leg-2', codec: 'PCMA' });
    expect(call.talking.agent.agentId).toBe(2);

    const other = new Told();
    other.transfers();
    other.happens({ type: 'agent-removed', agentId: 1 });
    other.happens({ type: 'decline', agentId: 2 });
    expect(other.state).toMatchObject({ outcome: { terminationReason: 'AGENT_DISCONNECTED' } });
  });

  test('sends no audio while no one would hear it: that ends nothing', () => {
    const call = new Told();
    call.transfers();
    const end = { cause: 'rtp-timeout', sipStatus: null, sipReason: null, q850: null } as const;
    call.happens({
      type: 'leg-ended',
      legId: 'first',
      end: { ...end, provisional: false, message: 'silent' },
      stats: null,
    });
    expect(call.talking.transfer).not.toBeNull();
  });
});

describe('to a queue', () => {
  test('does not wait in a queue that was deleted meanwhile: the call returns', () => {
    const call = new Told();
    call.transfers('queue', [stop(20, { maxWaitSeconds: null })]);
    expect(call.happens({ type: 'queue-gone', queueId: 10 })).toEqual([]);
    call.happens({ type: 'queue-gone', queueId: 20 });
    expect(call.failure).toBe('QUEUE_TIMEOUT');
    expect(call.talking.transfer).toBeNull();
  });

  test('waits there without announcements, and dispatches it', () => {
    const call = new Told();
    call.transfers('queue');
    expect(call.effects).toContainEqual({ kind: 'dispatch', queueId: 20 });
    expect(call.talking.transfer?.wait).toMatchObject({ announceAt: null, since: T0 });
  });

  test('overflows, and returns when the maximum wait of the last queue has passed', () => {
    const call = new Told();
    call.transfers('queue');
    call.happens({ type: 'offer', queueId: 20, agentIds: [2, 3], ringTimeoutSeconds: 100 });
    expect(call.waits()).toBe(60_000);
    expect(call.told(2)).toEqual(['withdrawn TIMEOUT']);
    expect(call.effects).toContainEqual({ kind: 'dispatch', queueId: 21 });
    expect(call.waits()).toBe(60_000);
    expect(call.failure).toBe('QUEUE_TIMEOUT');
  });

  test('the first agent to accept gets it, the others are notified, and the call counts against the queue from then on', () => {
    const call = new Told();
    call.transfers('queue');
    call.happens({ type: 'offer', queueId: 20, agentIds: [2, 3], ringTimeoutSeconds: 20 });
    call.accepts(3);
    expect(call.told(2)).toEqual(['withdrawn ANSWERED_ELSEWHERE']);
    expect(activeQueueOf(call.state)).toBe(20);
    call.happens({ type: 'leg-connected', legId: 'leg-3', codec: 'PCMA' });
    expect(call.talking).toMatchObject({ assignmentType: 'QUEUE', queue: { queueId: 20 } });
    expect(call.effects).toContainEqual({ kind: 'dispatch', queueId: 10 });
  });

  test('if the audio of an agent fails, it returns to the queue, and that agent comes after the others', () => {
    const call = new Told();
    call.transfers('queue');
    call.happens({ type: 'offer', queueId: 20, agentIds: [2], ringTimeoutSeconds: 20 });
    call.accepts();
    call.waits();
    expect(call.failure).toBeUndefined();
    expect(call.talking.transfer).toMatchObject({ accepted: null, offers: [], wait: { missed: { 2: 1 } } });
    expect(call.effects).toContainEqual({ kind: 'dispatch', queueId: 20 });
  });

  test('releases agents whom dispatch reserved for a queue in which it no longer waits', () => {
    const call = new Told();
    call.transfers('queue');
    call.happens({ type: 'offer', queueId: 10, agentIds: [2], ringTimeoutSeconds: 20 });
    expect(call.agent(2)).toEqual([{ kind: 'agent', agentId: 2, change: 'free' }]);
  });

  test('skips agents who declined this call in a queue before', () => {
    const call = new Told();
    call.transfers('queue');
    call.happens({ type: 'offer', queueId: 20, agentIds: [2], ringTimeoutSeconds: 20 });
    call.happens({ type: 'decline', agentId: 2 });
    call.happens({ type: 'transfer-cancel', agentId: 1 });
    call.transfers('queue');
    expect(call.talking.transfer?.wait?.declined).toEqual([2]);
  });
});
