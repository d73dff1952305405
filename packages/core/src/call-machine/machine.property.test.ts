/** Invariants of one call for events in any order, any number and at any time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anyEvent,
  conversation,
  ear,
  history,
  legEnd,
  listening,
  mode,
  monitor,
} from './__fixtures__/any-event.ts';
import { FLOW, T0 } from './__fixtures__/beginnings.ts';
import { run } from './__fixtures__/run-history.ts';
import { usual } from './__fixtures__/usual-events.ts';
import { answerByMedia } from './connecting.ts';
import type { Effect } from './effects.ts';
import type { CallEvent } from './event.ts';
import { nextDeadline, step } from './machine.ts';
import { conversationRoute } from './route.ts';
import { recordOf } from './shared.ts';
import { mediaNodeOf, reservedAgentIds } from './state.ts';
import type { CallState, ConnectingState } from './state.ts';
import { DEFAULT_MAX_CALL_SECONDS, INTENT_START_MS } from './timing.ts';

const published = (effects: readonly Effect[], event: string) =>
  effects.filter((effect) => effect.kind === 'publish' && effect.event === event).length;

/** Media has set a route by itself before it sent the 200. */
const isAnsweredByMedia = ({ agent, answered, answering }: ConnectingState, event: CallEvent): boolean =>
  event.type === 'leg-connected' &&
  !answered &&
  !answering &&
  !agent.ended &&
  (event.agent?.legId === agent.legId || (event.answered === true && event.legId === agent.legId));

describe('any order of events', () => {
  test('publishes call.created once, call.answered at most once, call.ended exactly when it ends, and nothing afterwards', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        const { states, effects } = run(from, events, (before, after, said) => {
          if (before.phase === 'ended') {
            expect(said).toEqual([]);
            expect(after).toEqual(before);
          }
        });
        const ended = states.at(-1)?.phase === 'ended';
        expect(published(effects, 'call.created')).toBe(1);
        expect(published(effects, 'call.answered')).toBeLessThanOrEqual(1);
        expect(published(effects, 'call.ended')).toBe(ended ? 1 : 0);
      }),
      { numRuns: 2_000 },
    );
  });

  test('reserves exactly the agents in its state, and none after it has ended', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        run(from, events, (_, after, __, held) => {
          expect([...held.agents].toSorted()).toEqual(reservedAgentIds(after).toSorted());
        });
      }),
      { numRuns: 2_000 },
    );
  });

  test('never offers the call again to an agent who declined it', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        run(from, events, (before, after, effects) => {
          if ('wait' in before && before.wait) {
            for (const effect of effects) {
              if (effect.kind === 'notify-agent' && effect.what.message === 'incoming') {
                expect(before.wait.declined).not.toContain(effect.agentId);
              }
            }
          }
          if (after.phase === 'offering')
            expect(new Set(after.offers.map((o) => o.agentId)).size).toBe(after.offers.length);
        });
      }),
      { numRuns: 2_000 },
    );
  });

  test('sends media routes with increasing revisions, the last of which is that of its state, and releases its legs when it ends', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        let revision = 0;
        let last: unknown = null;
        run(from, events, (before, after, effects, _held, event) => {
          if (before.phase === 'connecting' && isAnsweredByMedia(before, event)) {
            expect(before.revision).toBeGreaterThan(revision);
            revision = before.revision;
            last = { route: answerByMedia(before)?.route, record: null };
          }
          for (const effect of effects) {
            if (effect.kind !== 'media' || effect.order.command !== 'call:route') continue;
            expect(effect.order.revision).toBeGreaterThan(revision);
            revision = effect.order.revision;
            last = { route: effect.order.route, record: effect.order.record };
          }
          // A leg that replaces another is routed once it connects.
          if (after.phase === 'talking' && after.agent.connected)
            expect(last).toEqual({ route: conversationRoute(after), record: recordOf(after) });
          if (mediaNodeOf(before) !== null && after.phase === 'ended') {
            expect(effects.some((e) => e.kind === 'media' && e.order.command === 'call:release')).toBe(true);
          }
        });
      }),
      { numRuns: 1_000 },
    );
  });

  test('has monitors who do not change its agent, do not outlive it, and are not heard by the customer unless they barge', () => {
    let listened = 0;
    fc.assert(
      fc.property(listening, (events) => {
        const there = new Set<string>();
        run('owner', [...conversation, ...events], (before, after, effects) => {
          const monitorsOf = (state: CallState) => (state.phase === 'talking' ? state.monitors : []);
          for (const effect of effects) {
            if (effect.kind === 'join' && effect.who === 'MONITOR') {
              expect(there.has(effect.monitor.legId)).toBe(false);
              there.add(effect.monitor.legId);
              listened += 1;
            }
            if (effect.kind === 'leave' && effect.who === 'ALL') there.clear();
            if (effect.kind === 'leave' && effect.who !== 'ALL' && 'legId' in effect.who) {
              expect(there.delete(effect.who.legId)).toBe(true);
            }
            if (effect.kind !== 'media' || effect.order.command !== 'call:route') continue;
            const { route } = effect.order;
            const silent = [...monitorsOf(before), ...monitorsOf(after)].filter(({ legId: ear }) =>
              monitorsOf(after).every((now) => now.legId !== ear || now.mode !== 'BARGE'),
            );
            const customer = 'carrierLegId' in after ? (route[after.carrierLegId] ?? []) : [];
            for (const { legId: ear } of silent)
              expect(customer).not.toContainEqual({ kind: 'leg', legId: ear });
          }
          expect([...there].toSorted()).toEqual(
            monitorsOf(after)
              .filter(({ connected }) => connected)
              .map(({ legId: ear }) => ear)
              .toSorted(),
          );
          if (after.phase === 'talking') {
            for (const { agentId: who } of after.monitors) expect(who).not.toBe(after.agent.agentId);
            const asked = effects.flatMap((e) =>
              e.kind === 'media' && e.order.command === 'leg:hangup' ? [e.order.legId] : [],
            );
            for (const { legId: ear } of monitorsOf(before)) {
              if (after.monitors.every((now) => now.legId !== ear)) expect(asked).toContain(ear);
            }
          }
        });
      }),
      { numRuns: 2_000 },
    );
    expect(listened).toBeGreaterThan(100);
  });

  test('an event of a monitor never changes the phase of the call', () => {
    const about = fc.oneof(
      fc.record({ type: fc.constant('monitor-start' as const), monitor }),
      fc.record({ type: fc.constant('monitor-mode' as const), legId: ear, mode }),
      fc.record({ type: fc.constant('monitor-modes' as const), allowed: fc.uniqueArray(mode) }),
      fc.record({ type: fc.constant('monitor-stop' as const), legId: ear }),
      fc.record({
        type: fc.constant('leg-ended' as const),
        legId: ear,
        end: legEnd,
        stats: fc.constant(null),
      }),
    );
    fc.assert(
      fc.property(listening, about, (events, event) => {
        const { states, now } = run('owner', [...conversation, ...events]);
        const before = states.at(-1);
        if (!before) return;
        const { state: after, effects } = step(before, event, now, FLOW);
        expect(after.phase).toBe(before.phase);
        expect(reservedAgentIds(after)).toEqual(reservedAgentIds(before));
        expect(effects.filter(({ kind }) => ['agent', 'patch', 'publish'].includes(kind))).toEqual([]);
        if (after.phase === 'talking' && before.phase === 'talking') {
          expect({ ...after, monitors: [], revision: 0 }).toEqual({ ...before, monitors: [], revision: 0 });
        } else expect(after).toEqual(before);
      }),
      { numRuns: 1_000 },
    );
  });

  test('reaches every phase in these histories', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(history, ({ from, events }) => {
        for (const phase of new Set(run(from, events).states.map((state) => state.phase))) {
          seen.set(phase, (seen.get(phase) ?? 0) + 1);
        }
      }),
      { numRuns: 2_000 },
    );
    for (const phase of [
      'intent',
      'callback',
      'dialing',
      'arriving',
      'awaiting-owner',
      'ivr',
      'answering',
      'waiting',
      'offering',
      'connecting',
      'talking',
      'ended',
    ]) {
      expect(seen.get(phase), phase).toBeGreaterThan(50);
    }
  });

  test('ends by itself without further events; a conversation at its maximum duration', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        const { states, now } = run(from, events);
        let state = states.at(-1);
        let clock = now;
        for (let rounds = 0; state && rounds < 50; rounds += 1) {
          const deadline = nextDeadline(state);
          if (deadline === null) break;
          clock = Math.max(clock, deadline);
          state = step(state, { type: 'tick' }, clock, FLOW).state;
        }
        if (state?.phase !== 'ended') throw new Error(`the call is ${state?.phase}`);
        // Every history begins at T0. An outbound one is started within two minutes, or by an event that is processed before the late tick.
        const startedBy = Math.max(T0 + INTENT_START_MS, now);
        expect(state.endedAt).toBeLessThanOrEqual(startedBy + DEFAULT_MAX_CALL_SECONDS * 1000);
      }),
      { numRuns: 2_000 },
    );
  });

  test('opens and closes IVR sessions one at a time, and leaves none open', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        const { states, effects } = run(from, events);
        const last = states.at(-1);
        let open = false;
        for (const effect of effects) {
          if (effect.kind !== 'ivr') continue;
          expect(open).toBe(effect.change !== 'begin');
          open = effect.change !== 'end';
        }
        expect(open).toBe(last?.phase === 'ivr');
      }),
      { numRuns: 1_000 },
    );
  });

  test('applies every fact of media once: a repetition changes nothing', () => {
    fc.assert(
      fc.property(history, fc.oneof(anyEvent, fc.nat({ max: 10_000 })), ({ from, events }, what) => {
        const { states, now } = run(from, events);
        const before = states.at(-1);
        if (!before) return;
        const event = typeof what === 'number' ? usual(before, what) : what;
        if (!event.type.startsWith('leg-')) return;
        const once = step(before, event, now, FLOW);
        const again = step(once.state, event, now + 1, FLOW);
        expect(again.effects).toEqual([]);
        expect(again.state).toEqual(once.state);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a tick before the next deadline changes nothing', () => {
    fc.assert(
      fc.property(history, ({ from, events }) => {
        const { states, now } = run(from, events);
        const state = states.at(-1);
        if (!state) return;
        const ticked = step(state, { type: 'tick' }, now, FLOW);
        const deadline = nextDeadline(state);
        if (deadline === null || now < deadline) expect(ticked.state).toBe(state);
        else expect(ticked.state).not.toBe(state);
      }),
      { numRuns: 1_000 },
    );
  });
});
