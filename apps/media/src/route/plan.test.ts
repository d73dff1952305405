import fc from 'fast-check';
import type { Route, Source } from '@clarion/protocol/media';
import { describe, expect, test } from 'vitest';
import { planRoute, type PlanLeg } from './plan.ts';

const carrier = (more: Partial<PlanLeg> = {}): PlanLeg => ({
  legId: 'c',
  kind: 'carrier',
  hasAudio: true,
  laws: ['PCMA', 'PCMU'],
  ready: true,
  earlyMedia: false,
  ...more,
});
const agent = (more: Partial<PlanLeg> = {}): PlanLeg => ({
  ...carrier(),
  legId: 'a',
  kind: 'agent',
  laws: ['PCMA'],
  ...more,
});
const leg = (legId: string): Source => ({ kind: 'leg', legId });
const tone = (name: 'hold' | 'ringback'): Source => ({ kind: 'tone', tone: name });
const bridged: Route = { c: [leg('a')], a: [leg('c')] };

describe('two legs that hear only each other', () => {
  test('are handed over to mediasoup', () => {
    const plan = planRoute([carrier(), agent()], bridged);
    expect(plan.get('c')).toEqual({ mode: 'mediasoup', with: 'a' });
    expect(plan.get('a')).toEqual({ mode: 'mediasoup', with: 'c' });
  });

  test.each([
    ['the carrier leg is not ready (no source yet, DTMF, on hold)', [carrier({ ready: false }), agent()]],
    ['the agent is not connected', [carrier(), agent({ hasAudio: false })]],
    ['the carrier does not accept the codec of the agent', [carrier({ laws: ['PCMU'] }), agent()]],
    ['both are carriers', [carrier(), { ...carrier(), legId: 'a' }]],
    ['both are agents', [{ ...agent(), legId: 'c' }, agent()]],
  ])('are on local endpoints when %s, and still hear each other', (_why, legs) => {
    const plan = planRoute(legs, bridged);
    expect(plan.get('c')).toEqual({ mode: 'local', hears: [leg('a')] });
    expect(plan.get('a')).toEqual({ mode: 'local', hears: [leg('c')] });
  });

  test('stay handed over while a third leg listens to one or both of them', () => {
    const legs = [carrier(), agent(), agent({ legId: 's' })];
    for (const heard of [[leg('c')], [leg('c'), leg('a')]]) {
      const plan = planRoute(legs, { ...bridged, s: heard });
      expect(plan.get('c')).toEqual({ mode: 'mediasoup', with: 'a' });
      expect(plan.get('s')).toEqual({ mode: 'local', hears: heard });
    }
  });

  test('only the agent leg leaves mediasoup while a third leg speaks to the agent: the carrier leg is not affected', () => {
    const legs = [carrier(), agent(), agent({ legId: 's' })];
    const plan = planRoute(legs, { ...bridged, a: [leg('c'), leg('s')], s: [leg('c'), leg('a')] });
    expect(plan.get('a')).toEqual({ mode: 'local', hears: [leg('c'), leg('s')] });
    expect(plan.get('c')).toEqual({ mode: 'mediasoup', with: 'a' });
  });

  test('leave mediasoup while a third leg speaks to the carrier leg, and while the agent does not hear it', () => {
    const legs = [carrier(), agent(), agent({ legId: 's' })];
    const barged = { ...bridged, c: [leg('a'), leg('s')], a: [leg('c'), leg('s')] };
    expect(planRoute(legs, barged).get('c')).toEqual({ mode: 'local', hears: [leg('a'), leg('s')] });
    expect(planRoute(legs, { c: [leg('a')], a: [tone('hold')] }).get('c')?.mode).toBe('local');
  });

  test('a monitor leg is never part of a direct pair', () => {
    const legs = [carrier(), agent({ kind: 'monitor' })];
    expect(planRoute(legs, bridged).get('c')).toEqual({ mode: 'local', hears: [leg('a')] });
  });

  test('leave mediasoup when one of them hears another source', () => {
    expect(planRoute([carrier(), agent()], { ...bridged, c: [leg('a'), tone('hold')] }).get('a')?.mode).toBe(
      'local',
    );
  });
});

describe('ringback', () => {
  test('is replaced by the carrier leg once early media arrives', () => {
    const legs = [carrier({ ready: false, hasAudio: false, earlyMedia: true }), agent()];
    expect(planRoute(legs, { a: [tone('ringback')] }).get('a')).toEqual({ mode: 'local', hears: [leg('c')] });
  });

  test('is heard before early media arrives', () => {
    expect(planRoute([carrier({ ready: false }), agent()], { a: [tone('ringback')] }).get('a')).toEqual({
      mode: 'local',
      hears: [tone('ringback')],
    });
  });
});

test('for any route: every leg has a plan, pairs are mutual, and no leg hears itself or a leg that does not exist', () => {
  const ids = ['a', 'b', 'c', 'd', 'ghost'];
  const legs = fc.uniqueArray(
    fc.record({
      legId: fc.constantFrom('a', 'b', 'c', 'd'),
      kind: fc.constantFrom('carrier' as const, 'agent' as const, 'monitor' as const),
      hasAudio: fc.boolean(),
      laws: fc.subarray(['PCMA', 'PCMU'] as const, { minLength: 1 }),
      ready: fc.boolean(),
      earlyMedia: fc.boolean(),
    }),
    { selector: (one) => one.legId },
  );
  const sources = fc.array(
    fc.oneof(fc.constantFrom(...ids).map(leg), fc.constantFrom(tone('hold'), tone('ringback'))),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(legs, fc.dictionary(fc.constantFrom(...ids), sources), (present, route) => {
      const plan = planRoute(present, route);
      const kindOf = new Map<string, string>(present.map((one) => [one.legId, one.kind]));
      expect([...plan.keys()].sort()).toEqual(present.map((one) => one.legId).sort());
      for (const [legId, own] of plan) {
        if (own.mode === 'mediasoup') {
          expect(own.with).not.toBe(legId);
          const other = plan.get(own.with);
          if (other?.mode === 'mediasoup') expect(other.with).toBe(legId);
          else expect(other?.hears).toContainEqual(leg(legId));
          expect(kindOf.get(other?.mode === 'local' ? legId : own.with)).not.toBe('monitor');
        } else {
          for (const source of own.hears) {
            if (source.kind !== 'leg') continue;
            expect(source.legId).not.toBe(legId);
            expect(plan.has(source.legId)).toBe(true);
          }
        }
      }
    }),
  );
});
