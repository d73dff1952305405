import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { interpret } from '@clarion/core/ivr/interpret';
import { newFlowRun } from '@clarion/core/ivr/flow-run';
import { setData } from './draft.ts';
import { advance, isOver, simulate } from './simulate.ts';
import type { Simulation } from './simulate.ts';
import { draftFromTemplate } from './templates.ts';
import type { TemplateName } from './template-names.ts';

const MONDAY_NOON = Date.parse('2026-03-02T12:00:00Z');
const settings = { name: 'F', channelRef: 'main', triggerCondition: 'ALWAYS' } as const;
const durations = new Map([[9, 2]]);

function begin(template: TemplateName, now = MONDAY_NOON): Simulation {
  let draft = draftFromTemplate(template, settings);
  for (const { id, type, data } of draft.nodes) {
    if (type === 'ivr_menu' || type === 'ivr_play') draft = setData(draft, id, { ...data, audioFileId: 9 });
    if (type === 'ivr_transfer') draft = setData(draft, id, { ...data, targetId: 3 });
    if (type === 'ivr_hours') draft = setData(draft, id, { ...data, timezone: 'UTC' });
  }
  const simulation = simulate(draft, durations, now);
  if (!simulation) throw new Error('no flow');
  return simulation;
}
const heardOut = (at: Simulation, now: number) =>
  advance(at, { kind: 'prompt-ended', playId: at.playing?.playId ?? '', played: true }, now);

describe('a simulated caller', () => {
  test('hears the menu, presses a key and is transferred to its queue; the path is highlighted', () => {
    const menu = begin('menu');
    expect(menu.playing?.assetId).toBe(9);
    const at = advance(menu, { kind: 'key', key: '2' }, MONDAY_NOON + 500);
    expect(at.standing).toEqual({ kind: 'hand-over', to: { type: 'queue', id: 3, skills: [] } });
    expect([...at.exits]).toEqual(['start next', 'menu 2']);
    expect([...at.nodes]).toEqual(['start', 'menu', 'support']);
    expect(at.log.map(({ kind }) => kind)).toEqual(['came', 'came', 'key', 'came', 'over']);
  });
  test('who presses nothing hears it again, and the call ends', () => {
    let at = begin('menu');
    for (let turn = 0; !isOver(at) && turn < 20; turn += 1) {
      const now = at.wakeAt ?? 0;
      at = at.playing ? heardOut(at, now) : advance(at, { kind: 'time-over' }, now);
    }
    expect(at.standing).toEqual({ kind: 'hang-up', because: 'NO_INPUT' });
    expect(at.plays).toBe(4);
  });
  test('is routed by opening hours at the simulated time', () => {
    expect(begin('hours').standing).toMatchObject({ kind: 'hand-over' });
    expect(begin('hours', Date.parse('2026-03-01T12:00:00Z')).playing?.assetId).toBe(9);
  });
  test('whom no agent answers leaves the flow if it has no exit for that', () => {
    const handed = advance(begin('menu'), { kind: 'key', key: '1' }, MONDAY_NOON);
    const at = advance(handed, { kind: 'overflowed' }, MONDAY_NOON + 1);
    expect(at.standing).toMatchObject({ kind: 'not-taken' });
    expect(advance(at, { kind: 'key', key: '1' }, MONDAY_NOON + 2)).toBe(at);
  });
  test('cannot start in an incomplete draft', () => {
    expect(simulate(draftFromTemplate('menu', settings), durations, MONDAY_NOON)).toBe(null);
  });
});

const anyInput = fc.oneof(
  fc.constantFrom(...'0129*#'),
  fc.constantFrom('heard out', 'waits', 'nobody answers'),
);

test('for any keys, the simulation matches the engine’s interpreter', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<TemplateName>('menu', 'hours', 'message', 'language'),
      fc.array(anyInput, { maxLength: 20 }),
      (template, deeds) => {
        let simulated = begin(template);
        const { flow } = simulated;
        let now = MONDAY_NOON;
        // As the engine's runner stores it: the run, its last result and its deadline.
        let engine = interpret(
          flow,
          newFlowRun({ ivrFlowId: 0, structure: flow.structure }, now),
          { kind: 'entered' },
          now,
          'play-1',
        );
        let standing = engine.next;
        const went = [...engine.way];
        for (const [index, deed] of deeds.entries()) {
          if (isOver(simulated)) break;
          now = deed === 'waits' ? Math.max(now, simulated.wakeAt ?? now) : now + 500;
          const playId = engine.run.playId ?? 'none';
          const input =
            deed === 'heard out'
              ? ({ kind: 'prompt-ended', playId, played: true } as const)
              : deed === 'waits'
                ? ({ kind: 'time-over' } as const)
                : deed === 'nobody answers'
                  ? ({ kind: 'overflowed' } as const)
                  : ({ kind: 'key', key: deed } as const);
          engine = interpret(flow, engine.run, input, now, `engine-${index}`);
          if (engine.next.kind !== 'stay') standing = engine.next;
          went.push(...engine.way);
          const same =
            input.kind === 'prompt-ended' ? { ...input, playId: simulated.run.playId ?? 'none' } : input;
          simulated = advance(simulated, same, now);
          expect(simulated.run.nodeId).toBe(engine.run.nodeId);
          expect(simulated.standing.kind).toBe(standing.kind);
          for (const { nodeId, exit } of went) expect(simulated.exits).toContain(`${nodeId} ${exit}`);
        }
      },
    ),
    { numRuns: 300 },
  );
});
