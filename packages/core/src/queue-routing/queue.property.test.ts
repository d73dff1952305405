/** Thousands of random schedules of a small contact centre (__fixtures__/centre.ts) with a simulated clock. */
import { queueStrategies } from '@clarion/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Centre } from './__fixtures__/centre.ts';
import { AGENTS, QUEUES } from './__fixtures__/centre-model.ts';
import type { Action, Settings } from './__fixtures__/centre-model.ts';
import { checkCentre } from './__fixtures__/check-centre.ts';

const RUNS = 500;

const agent = fc.constantFrom(...AGENTS);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      queue: fc.constantFrom(...QUEUES),
      skills: fc.constantFrom<string[]>([], [], ['a'], ['a', 'b'], ['nobody']),
      answered: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('shift' as const), agent, on: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('app' as const), agent, connects: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('accept', 'accept', 'accept', 'decline', 'hangup', 'hangup', 'ready'),
      agent,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...(['connect', 'connect', 'connect', 'connect', 'fail', 'cancel', 'callback', 'played'] as const),
        ...(['callback', 'played', 'terminate', 'lost'] as const),
      ),
      call: fc.integer({ min: 1, max: 16 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('again' as const), which: fc.nat(50) }) },
);

const strategy = fc.constantFrom(...queueStrategies);
const settings = (first: fc.Arbitrary<Settings['strategies'][number]>): fc.Arbitrary<Settings> =>
  fc.record({
    strategies: fc.record({ 1: first, 2: strategy }),
    wrapUpSeconds: fc.record({ 1: fc.constantFrom(0, 5, 25), 2: fc.constantFrom(0, 10) }),
    skillsWaitSeconds: fc.constantFrom(null, 0, 15),
    cap: fc.constantFrom(null, 1, 2),
    answers: fc.constantFrom(null, 1, 2),
  });

test.each(queueStrategies)(
  '%s: each call ends once, no agent has two, the order is exact, and nobody waits while somebody may have them',
  (first) => {
    const seen = {
      ...{ offers: 0, wrapUps: 0, relaxed: 0, callbacks: 0, answeredBack: 0, answered: 0 },
      ...{ kept: 0, restarts: 0, uncertain: 0, woken: 0 },
    };
    fc.assert(
      fc.property(
        settings(fc.constant(first)),
        fc.array(action, { minLength: 40, maxLength: 150, size: 'max' }),
        (chosen, actions) => {
          const centre = new Centre(chosen);
          for (const what of actions) {
            centre.act(what);
            checkCentre(centre);
            expect(centre.broken).toEqual([]);
          }
          // Everyone hangs up and time passes: every call has ended once, and every agent is idle.
          for (const callId of centre.calls.keys()) centre.act({ do: 'terminate', call: callId });
          centre.act({ do: 'wait', ms: 600_000 });
          checkCentre(centre);
          expect(centre.broken).toEqual([]);
          expect([...centre.calls.values()].every(({ phase }) => phase === 'ended')).toBe(true);
          expect([...centre.agents.values()].every(({ held }) => held === null)).toBe(true);
          for (const [what, times] of Object.entries(centre.seen)) seen[what as keyof typeof seen] += times;
        },
      ),
      { numRuns: RUNS },
    );
    // The schedules must reach every case.
    expect(seen.offers).toBeGreaterThan(5 * RUNS);
    expect(seen.woken).toBeGreaterThan(RUNS);
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  },
);

test.each(queueStrategies)('%s: left alone, no call waits for ever', (first) => {
  fc.assert(
    fc.property(
      settings(fc.constant(first)),
      fc.array(action, { maxLength: 80, size: 'max' }),
      (chosen, actions) => {
        const centre = new Centre(chosen);
        for (const what of actions) centre.act(what);
        centre.act({ do: 'wait', ms: 600_000 });
        expect(centre.broken).toEqual([]);
        for (const state of centre.calls.values()) expect(['ended', 'talking']).toContain(state.phase);
      },
    ),
    { numRuns: RUNS / 2 },
  );
});
