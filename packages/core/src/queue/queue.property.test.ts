/**
 * A small contact centre under a clock: calls come, agents come, go, answer, decline or let it ring, callers give up, old messages
 * arrive again. The machine and the strategies run as in the engine; the database is a map with the same conditional updates.
 */
import { queueStrategies } from '@clarion/protocol';
import type { QueueStrategy } from '@clarion/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginInbound } from '../call/arrival.ts';
import type { Effect } from '../call/effects.ts';
import type { CallEvent } from '../call/event.ts';
import { nextDeadline, step } from '../call/machine.ts';
import { agentsHeldBy } from '../call/state.ts';
import type { CallState } from '../call/state.ts';
import { nextOffers } from './strategies/index.ts';

const QUEUE = 1;
const OVERFLOW = 2;
const AGENTS = [1, 2, 3, 4];
const CAP = 2;

type Action =
  | { do: 'call' }
  | { do: 'shift'; agent: number; on: boolean }
  | { do: 'accept' | 'decline' | 'hangup'; agent: number }
  | { do: 'connect' | 'cancel' | 'terminate' | 'lost'; call: number }
  | { do: 'wait'; ms: number }
  | { do: 'again'; which: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ do: 'call' } as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('shift' as const),
      agent: fc.constantFrom(...AGENTS),
      on: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('accept' as const, 'accept' as const, 'decline' as const, 'hangup' as const),
      agent: fc.constantFrom(...AGENTS),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'connect' as const,
        'connect' as const,
        'cancel' as const,
        'terminate' as const,
        'lost' as const,
      ),
      call: fc.nat(20),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 30_000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('again' as const), which: fc.nat(50) }) },
);

class Centre {
  readonly strategy: QueueStrategy;
  now = 1_000_000;
  readonly calls = new Map<number, CallState>();
  readonly agents = new Map(
    AGENTS.map((id) => [id, { on: false, held: null as number | null, idleSince: id }]),
  );
  readonly said = new Map<number, string[]>();
  readonly declined = new Set<string>();
  readonly sent: [number, CallEvent][] = [];
  /** Promises that were broken, in words. */
  readonly broken: string[] = [];

  constructor(strategy: QueueStrategy) {
    this.strategy = strategy;
  }

  arrive(): void {
    const callId = this.calls.size + 1;
    const stop = {
      ringTimeoutSeconds: 10,
      maxWaitSeconds: 60,
      holdAudio: null,
      wrapUpSeconds: 0,
      announce: { position: false, wait: false, everySeconds: 60 },
      callbackKey: null,
      skillsWaitSeconds: null,
    };
    const { state, effects } = beginInbound(
      {
        callId,
        record: false,
        mediaPath: 'ROOM',
        mediaNodeId: 'm',
        carrierLegId: `in-${callId}`,
        route: {
          kind: 'queue',
          stops: [
            { queueId: QUEUE, ref: 'first', ...stop },
            { queueId: OVERFLOW, ref: 'second', ...stop },
          ],
        },
      },
      this.now,
    );
    this.commit(callId, state, effects);
  }

  send(callId: number, event: CallEvent): void {
    const state = this.calls.get(callId);
    if (!state) return;
    this.sent.push([callId, event]);
    const next = step(state, event, this.now);
    this.commit(callId, next.state, next.effects);
  }

  commit(callId: number, state: CallState, effects: Effect[]): void {
    this.calls.set(callId, state);
    for (const effect of effects) {
      if (effect.kind === 'publish') this.said.set(callId, [...(this.said.get(callId) ?? []), effect.event]);
      if (effect.kind === 'agent') {
        const agent = this.agents.get(effect.agentId);
        if (agent?.held === callId && (effect.change === 'free' || effect.change === 'missed')) {
          agent.held = null;
          agent.idleSince = this.now;
        }
      }
      if (effect.kind === 'tell' && effect.what.message === 'incoming') {
        if (this.declined.has(`${callId}:${effect.agentId}`))
          this.broken.push(`${callId} asked a decliner again`);
      }
    }
  }

  /** As engine/dispatch.ts does it, for both queues. */
  dispatch(): void {
    for (const queueId of [QUEUE, OVERFLOW]) {
      const waiting = this.waitingIn(queueId);
      const handled = [...this.calls.values()].filter(
        (state) =>
          (state.phase === 'talking' && state.queue?.queueId === queueId) ||
          (state.phase === 'connecting' && state.wait?.stops[0]?.queueId === queueId),
      ).length;
      const ringing = waiting.filter(({ ringingAt }) => ringingAt.length > 0).length;
      const plans = nextOffers(this.strategy, {
        waiting,
        free: this.free(),
        capacity: CAP - handled - ringing,
      });
      for (const { callId, agentIds } of plans) {
        const got = agentIds.filter((agentId) => this.agents.get(agentId)?.held === null);
        for (const agentId of got) this.hold(agentId, callId);
        this.send(callId, { type: 'offer', queueId, agentIds: got, ringTimeoutSeconds: 10 });
      }
    }
  }

  waitingIn(queueId: number) {
    return [...this.calls.values()].flatMap((state) =>
      (state.phase === 'waiting' || state.phase === 'offering') && state.wait?.stops[0]?.queueId === queueId
        ? [
            {
              callId: state.callId,
              ringingAt: state.phase === 'offering' ? state.offers.map(({ agentId }) => agentId) : [],
              declined: state.wait.declined,
              missed: state.wait.missed,
              skills: state.wait.skills,
            },
          ]
        : [],
    );
  }

  free() {
    return [...this.agents]
      .filter(([, { on, held }]) => on && held === null)
      .map(([agentId, { idleSince }]) => ({ agentId, idleSince, priority: agentId, skills: [] }));
  }

  hold(agentId: number, callId: number): void {
    const agent = this.agents.get(agentId);
    if (!agent || agent.held !== null) throw new Error('two calls took one agent');
    agent.held = callId;
  }

  /** Lets time pass, firing each deadline when it is due. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const [due] = [...this.calls]
        .map(([callId, state]) => ({ callId, at: nextDeadline(state) ?? Infinity }))
        .toSorted((a, b) => a.at - b.at);
      if (!due || due.at > until) break;
      this.now = Math.max(this.now, due.at);
      this.send(due.callId, { type: 'tick' });
      this.dispatch();
    }
    this.now = until;
  }

  act(what: Action): void {
    switch (what.do) {
      case 'call':
        return this.arrive();
      case 'shift': {
        const agent = this.agents.get(what.agent);
        if (agent) agent.on = what.on;
        return;
      }
      case 'accept':
      case 'decline':
      case 'hangup': {
        const callId = this.agents.get(what.agent)?.held;
        if (callId === null || callId === undefined) return;
        const phase = this.calls.get(callId)?.phase;
        if (what.do === 'accept') {
          const legId = `leg-${callId}-${what.agent}-${this.sent.length}`;
          return this.send(callId, { type: 'accept', agentId: what.agent, deviceId: 'd', legId });
        }
        this.send(callId, { type: what.do, agentId: what.agent });
        if (phase === 'offering' || phase === 'connecting') this.declined.add(`${callId}:${what.agent}`);
        return;
      }
      case 'connect': {
        const state = this.calls.get(what.call);
        if (state?.phase !== 'connecting') return;
        const legId = state.answering ? state.carrierLegId : state.agent.legId;
        return this.send(what.call, { type: 'leg-connected', legId, codec: 'PCMA' });
      }
      case 'cancel':
        return this.send(what.call, {
          type: 'leg-ended',
          legId: `in-${what.call}`,
          end: cancelled,
          stats: null,
        });
      case 'terminate':
        return this.send(what.call, { type: 'terminate' });
      case 'lost':
        return this.send(what.call, { type: 'media-lost', mediaNodeId: 'm' });
      case 'wait':
        return this.pass(what.ms);
      case 'again': {
        const old = this.sent[what.which % Math.max(1, this.sent.length)];
        // An old offer cannot come again: its reservation was part of the same transaction.
        if (old && old[1].type !== 'offer') this.send(...old);
      }
    }
  }

  check(): void {
    for (const [callId, state] of this.calls) {
      // The agents a state names are those the database holds for it, and no others.
      const held = [...this.agents].filter(([, agent]) => agent.held === callId).map(([id]) => id);
      const named = agentsHeldBy(state).toSorted((a, b) => a - b);
      if (String(named) !== String(held))
        this.broken.push(`${callId} (${state.phase}) names ${named}, holds ${held}`);
      const said = (event: string) => (this.said.get(callId) ?? []).filter((told) => told === event).length;
      if (said('call.created') !== 1) this.broken.push(`${callId} was created ${said('call.created')} times`);
      if (said('call.answered') > 1)
        this.broken.push(`${callId} was answered ${said('call.answered')} times`);
      if (said('call.ended') !== (state.phase === 'ended' ? 1 : 0)) {
        this.broken.push(`${callId} (${state.phase}) ended ${said('call.ended')} times`);
      }
    }
    for (const queueId of [QUEUE, OVERFLOW]) this.checkNobodyIsForgotten(queueId);
  }

  /** Nobody waits while somebody who has not declined is free and the queue may take one more. */
  checkNobodyIsForgotten(queueId: number): void {
    const busy = [...this.calls.values()].filter(
      (state) =>
        (state.phase === 'talking' && state.queue?.queueId === queueId) ||
        ((state.phase === 'connecting' || state.phase === 'offering') &&
          state.wait?.stops[0]?.queueId === queueId),
    ).length;
    if (busy > CAP) this.broken.push(`queue ${queueId} handles ${busy} calls`);
    if (busy >= CAP) return;
    for (const { callId, declined } of this.waitingIn(queueId).filter(
      ({ ringingAt }) => ringingAt.length === 0,
    )) {
      if (this.free().some(({ agentId }) => !declined.includes(agentId)))
        this.broken.push(`${callId} is forgotten`);
    }
  }
}

const cancelled = {
  cause: 'remote-cancel' as const,
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: false,
  message: 'cancelled',
};

test.each(queueStrategies)(
  '%s: no agent has two calls, no decliner is asked again, no waiting call is lost',
  (strategy) => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
        const centre = new Centre(strategy);
        for (const what of actions) {
          centre.act(what);
          centre.dispatch();
          centre.check();
        }
        // Everyone hangs up, time passes: every call has ended once, and every agent is free.
        for (const callId of centre.calls.keys()) centre.send(callId, { type: 'terminate' });
        centre.pass(600_000);
        centre.check();
        expect([...centre.calls.values()].every(({ phase }) => phase === 'ended')).toBe(true);
        expect([...centre.agents.values()].every(({ held }) => held === null)).toBe(true);
      }),
      { numRuns: 400 },
    );
  },
);

test.each(queueStrategies)(
  '%s: left alone, every call is answered, ends TIMEOUT, or is given up by its caller',
  (strategy) => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const centre = new Centre(strategy);
        for (const what of actions) {
          centre.act(what);
          centre.dispatch();
        }
        centre.pass(600_000);
        for (const state of centre.calls.values()) expect(['ended', 'talking']).toContain(state.phase);
      }),
      { numRuns: 200 },
    );
  },
);
