/** The behaviour of each node, and invariants of every valid flow for any input. */
import { ivrStructure } from '@clarion/protocol/ivr/structure';
import type { IvrStructure } from '@clarion/protocol/ivr/structure';
import { factsOf } from '@clarion/protocol/ivr/structure';
import { ivrNodeTypes } from '@clarion/protocol/ivr/nodes/index';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkFlow } from './check-flow.ts';
import { MAX_FLOW_MS, newFlowRun } from './flow-run.ts';
import type { FlowRun } from './flow-run.ts';
import { interpret, PROMPT_SLACK_MS } from './interpret.ts';
import type { FlowInput, NextStep, FlowResult, InterpretedFlow } from './interpret.ts';

const T0 = Date.parse('2026-01-05T10:00:00Z'); // a Monday
const SECONDS = 2;
const audio = { 1: { file: 'one', seconds: SECONDS }, 2: { file: 'two', seconds: SECONDS } };

interface Drawn {
  nodes: { id: string; type: string; data?: object }[];
  edges: [string, string, string?][];
}
const flowOf = ({ nodes, edges }: Drawn): InterpretedFlow => ({
  audio,
  structure: ivrStructure.parse({
    nodes: [{ id: 's', type: 'ivr_start' }, ...nodes],
    edges: edges.map(([source, target, sourceHandle]) => ({ source, target, sourceHandle })),
  }),
});

/** A caller with a clock: sends inputs and receives the results. */
class Caller {
  run: FlowRun;
  now = T0;
  wakeAt = 0;
  next: NextStep = { kind: 'stay' };
  readonly notes: string[] = [];
  readonly #flow: InterpretedFlow;
  #plays = 0;

  constructor(flow: InterpretedFlow) {
    this.#flow = flow;
    this.run = newFlowRun({ ivrFlowId: 1, structure: flow.structure }, T0);
    this.does({ kind: 'entered' });
  }
  does(input: FlowInput): NextStep {
    const walk: FlowResult = interpret(this.#flow, this.run, input, this.now, `play-${(this.#plays += 1)}`);
    this.run = JSON.parse(JSON.stringify(walk.run)) as FlowRun;
    this.notes.push(...walk.notes.map(({ nodeName, input: key }) => `${nodeName}:${key}`));
    if (walk.next.kind === 'play' || walk.next.kind === 'listen') this.wakeAt = walk.next.wakeAt;
    this.next = walk.next;
    return walk.next;
  }
  press = (key: string) => this.does({ kind: 'key', key });
  hearsItOut(played = true): NextStep {
    this.now += SECONDS * 1000;
    return this.does({ kind: 'prompt-ended', playId: this.run.playId ?? '', played });
  }
  waits(): NextStep {
    this.now = Math.max(this.now, this.wakeAt);
    return this.does({ kind: 'time-over' });
  }
}

const menu = (data = {}) => ({
  id: 'm',
  type: 'ivr_menu',
  data: { audioFileId: 1, timeoutSeconds: 3, ...data },
});
const gather = (data = {}) => ({
  id: 'g',
  type: 'ivr_gather',
  data: { audioFileId: 1, maxDigits: 3, timeoutSeconds: 4, ...data },
});
const play = (id = 'p') => ({ id, type: 'ivr_play', data: { audioFileId: 2 } });
const queue = (id = 'q', targetId = 7) => ({
  id,
  type: 'ivr_transfer',
  data: { targetType: 'queue', targetId },
});
const agent = (id = 'a', targetId = 8) => ({
  id,
  type: 'ivr_transfer',
  data: { targetType: 'agent', targetId },
});
const hangup = { id: 'h', type: 'ivr_hangup' };

describe('a menu', () => {
  const drawn = (data = {}, edges: Drawn['edges'] = []): Caller =>
    new Caller(
      flowOf({
        nodes: [menu(data), queue(), play()],
        edges: [['s', 'm'], ['m', 'q', '1'], ['m', 'p', '*'], ...edges],
      }),
    );

  test('plays its prompt immediately, and waits for its end and a little longer', () => {
    expect(drawn().next).toEqual({
      kind: 'play',
      file: 'one',
      playId: 'play-1',
      wakeAt: T0 + SECONDS * 1000 + PROMPT_SLACK_MS,
    });
  });
  test('accepts a key during the prompt or after it', () => {
    expect(drawn().press('1')).toMatchObject({ kind: 'hand-over', to: { type: 'queue', id: 7 } });
    const later = drawn();
    later.hearsItOut();
    expect(later.press('*')).toMatchObject({ kind: 'play', file: 'two' });
  });
  test('counts its time from the end of the prompt', () => {
    const caller = drawn();
    expect(caller.hearsItOut()).toEqual({ kind: 'listen', wakeAt: T0 + SECONDS * 1000 + 3_000 });
  });
  test('assumes the end of its prompt if it is not reported', () => {
    const caller = drawn();
    expect(caller.waits()).toEqual({ kind: 'listen', wakeAt: T0 + SECONDS * 1000 + PROMPT_SLACK_MS + 3_000 });
  });
  test('ignores the end of another prompt', () => {
    const caller = drawn();
    expect(caller.does({ kind: 'prompt-ended', playId: 'play-0', played: true })).toEqual({ kind: 'stay' });
  });
  test('repeats its prompt up to the limit, then leaves by next, or hangs up', () => {
    for (const [edges, last] of [
      [[], { kind: 'hang-up', because: 'NO_INPUT' }],
      [[['m', 'p', 'next']], { kind: 'play', file: 'two' }],
    ] as [Drawn['edges'], object][]) {
      const caller = drawn({ maxReplays: 2 }, edges);
      for (const _ of [1, 2]) {
        caller.hearsItOut();
        expect(caller.waits()).toMatchObject({ kind: 'play', file: 'one' });
      }
      caller.hearsItOut();
      expect(caller.waits()).toMatchObject(last);
    }
  });
  test('a key without an edge has the same effect as no input, immediately', () => {
    const caller = drawn({ maxReplays: 1 });
    expect(caller.press('9')).toMatchObject({ kind: 'play', file: 'one', playId: 'play-2' });
    expect(caller.press('next')).toMatchObject({ kind: 'hang-up', because: 'NO_INPUT' });
    expect(drawn({ noInputAction: 'hangup' }).press('9')).toMatchObject({ kind: 'hang-up' });
    expect(drawn({ noInputAction: 'next' }, [['m', 'p', 'next']]).press('9')).toMatchObject({ file: 'two' });
  });
  test('audio that is not available is a prompt that has ended', () => {
    expect(drawn().hearsItOut(false)).toMatchObject({ kind: 'listen' });
    expect(drawn({ audioFileId: 99 }).next).toEqual({ kind: 'listen', wakeAt: T0 + 3_000 });
  });
  test('a menu that is entered again has all its repetitions again', () => {
    const caller = drawn({ maxReplays: 1 }, [['p', 'm']]);
    caller.press('9');
    caller.press('*');
    caller.hearsItOut();
    expect(caller.press('9')).toMatchObject({ kind: 'play', file: 'one' });
  });
});

describe('digits', () => {
  const drawn = (data = {}, edges: Drawn['edges'] = [['g', 'h', 'timeout']]): Caller =>
    new Caller(flowOf({ nodes: [gather(data), queue(), hangup], edges: [['s', 'g'], ['g', 'q'], ...edges] }));

  test('are complete at the last one, and each is logged, including the finish key', () => {
    const caller = drawn();
    expect(caller.press('4')).toEqual({ kind: 'listen', wakeAt: T0 + 4_000 });
    caller.press('7');
    expect(caller.press('1')).toMatchObject({ kind: 'hand-over' });
    const early = drawn();
    early.press('4');
    expect(early.press('#')).toMatchObject({ kind: 'hand-over' });
    expect(early.notes).toEqual(['g:4', 'g:#']);
  });
  test('each has its own timeout, which ends the input', () => {
    const caller = drawn();
    caller.press('4');
    caller.now += 3_000;
    expect(caller.press('7')).toEqual({ kind: 'listen', wakeAt: caller.now + 4_000 });
    expect(caller.waits()).toMatchObject({ kind: 'hand-over' });
  });
  test('without any, leave by timeout, or by next if that has no edge', () => {
    const silent = drawn();
    expect(silent.hearsItOut()).toEqual({ kind: 'listen', wakeAt: T0 + SECONDS * 1000 + 4_000 });
    expect(silent.waits()).toMatchObject({ kind: 'hang-up', because: 'HANGUP' });
    expect(drawn().press('#')).toMatchObject({ kind: 'hang-up' });
    expect(drawn({}, []).press('#')).toMatchObject({ kind: 'hand-over' });
  });
  test('with another finish key # is a digit; without one every key is', () => {
    const star = drawn({ finishOnKey: '*' });
    expect(star.press('#')).toMatchObject({ kind: 'listen' });
    expect(star.press('*')).toMatchObject({ kind: 'hand-over' });
    const none = drawn({ finishOnKey: 'none', maxDigits: 2 });
    none.press('*');
    expect(none.press('#')).toMatchObject({ kind: 'hand-over' });
  });
});

describe('audio', () => {
  test('is played to its end; a key is logged and changes nothing', () => {
    const caller = new Caller(
      flowOf({
        nodes: [play(), hangup],
        edges: [
          ['s', 'p'],
          ['p', 'h'],
        ],
      }),
    );
    expect(caller.press('5')).toEqual({ kind: 'stay' });
    expect(caller.notes).toEqual(['p:5']);
    expect(caller.hearsItOut()).toMatchObject({ kind: 'hang-up' });
  });
  test('that is not available is a pause, so that a loop through it does not spin', () => {
    const caller = new Caller(
      flowOf({
        nodes: [play()],
        edges: [
          ['s', 'p'],
          ['p', 'p'],
        ],
      }),
    );
    expect(caller.hearsItOut(false)).toEqual({ kind: 'listen', wakeAt: caller.now + 1_000 });
    expect(caller.waits()).toMatchObject({ kind: 'play' });
  });
  test('without an edge ends the flow', () => {
    expect(new Caller(flowOf({ nodes: [play()], edges: [['s', 'p']] })).hearsItOut()).toEqual({
      kind: 'end',
    });
  });
});

describe('a transfer', () => {
  test('that no agent answers continues by overflow, or reports that it cannot', () => {
    const on = new Caller(
      flowOf({
        nodes: [queue(), agent()],
        edges: [
          ['s', 'q'],
          ['q', 'a', 'overflow'],
        ],
      }),
    );
    expect(on.next).toMatchObject({ kind: 'hand-over', to: { type: 'queue', id: 7 } });
    expect(on.does({ kind: 'overflowed' })).toMatchObject({
      kind: 'hand-over',
      to: { type: 'agent', id: 8 },
    });
    expect(on.does({ kind: 'overflowed' })).toMatchObject({
      kind: 'not-taken',
      to: { type: 'agent', id: 8 },
    });
  });
});

test('a node is named by its label, otherwise by its ID', () => {
  const caller = new Caller(flowOf({ nodes: [menu({ label: ' Main menu ' })], edges: [['s', 'm']] }));
  caller.press('1');
  const plain = new Caller(flowOf({ nodes: [menu({ label: 7 })], edges: [['s', 'm']] }));
  plain.press('1');
  expect([caller.notes, plain.notes]).toEqual([['Main menu:1'], ['m:1']]);
});

// ---- any flow, any caller

const HOURS = [
  { timezone: 'Europe/London', hours: [] },
  { timezone: 'Asia/Tokyo', hours: [{ days: ['MONDAY'], from: '00:00', to: '24:00' }] },
];
const dataOf: Record<(typeof ivrNodeTypes)[number], fc.Arbitrary<object>> = {
  ivr_start: fc.constant({}),
  ivr_hangup: fc.constant({}),
  // Asset 9 was not available when the call began.
  ivr_play: fc.record({ audioFileId: fc.constantFrom(1, 2, 9) }),
  ivr_menu: fc.record({
    audioFileId: fc.constantFrom(1, 9),
    timeoutSeconds: fc.integer({ min: 1, max: 5 }),
    noInputAction: fc.constantFrom('replay', 'hangup', 'next'),
    maxReplays: fc.integer({ min: 0, max: 10 }),
  }),
  ivr_gather: fc.record({
    audioFileId: fc.constantFrom(2, 9),
    maxDigits: fc.integer({ min: 1, max: 4 }),
    finishOnKey: fc.constantFrom('#', '*', 'none'),
    timeoutSeconds: fc.integer({ min: 1, max: 5 }),
  }),
  ivr_hours: fc.constantFrom(...HOURS),
  ivr_transfer: fc.record({ targetType: fc.constantFrom('queue', 'agent'), targetId: fc.constant(7) }),
};
const inner = ivrNodeTypes.filter((type) => type !== 'ivr_start');
const anyNode = fc.constantFrom(...inner).chain((type) => fc.tuple(fc.constant(type), dataOf[type]));

/** Random nodes with a random target or none for each exit, reduced to what can be reached from the start. */
const anyFlow: fc.Arbitrary<IvrStructure> = fc
  .tuple(fc.array(anyNode, { minLength: 1, maxLength: 7 }), fc.infiniteStream(fc.nat({ max: 11 })))
  .map(([made, choices]) => {
    const drawn = [
      { id: 'n0', type: 'ivr_start', data: {} },
      ...made.map(([type, data], index) => ({ id: `n${index + 1}`, type, data })),
    ];
    const { nodes } = ivrStructure.parse({ nodes: drawn, edges: [] });
    const edges = nodes.flatMap((node) => {
      const { exits, needed } = factsOf(node);
      return exits.flatMap((exit) => {
        const choice = Number(choices.next().value);
        const must = needed.some((each) => each.exit === exit);
        const target = nodes[must ? 1 + (choice % made.length) : choice];
        return target && target.type !== 'ivr_start'
          ? [{ source: node.id, target: target.id, sourceHandle: exit }]
          : [];
      });
    });
    const reached = new Set(['n0']);
    for (const id of reached) for (const { source, target } of edges) if (source === id) reached.add(target);
    return {
      nodes: nodes.filter(({ id }) => reached.has(id)),
      edges: edges.filter(({ source }) => reached.has(source)),
    };
  })
  .filter((structure) => checkFlow(structure, WORLD) === null);
const WORLD = { queues: new Set([7]), agents: new Set([7]), audioAssets: new Set([1, 2, 9]) };

const anyDeed = fc.oneof(
  fc.constantFrom(...'0123456789*#ABCD').map((key): FlowInput => ({ kind: 'key', key })),
  fc.constantFrom('its', 'stale', 'lost'),
  fc.constant('waits'),
);

const isOver = ({ kind }: NextStep) => kind === 'end' || kind === 'hang-up' || kind === 'not-taken';

/** Inputs in sequence; a transferred caller returns a second later. */
function live(caller: Caller, deed: FlowInput | string): void {
  if (caller.next.kind === 'hand-over') {
    caller.now += 1_000;
    caller.does({ kind: 'overflowed' });
  } else if (typeof deed === 'object') caller.does(deed);
  else if (deed === 'waits') caller.waits();
  else if (deed === 'stale') caller.does({ kind: 'prompt-ended', playId: 'no such', played: true });
  else caller.does({ kind: 'prompt-ended', playId: caller.run.playId ?? 'none', played: deed === 'its' });
}

describe('every valid flow, for any input', () => {
  test('waits for a time in the future, transfers, or ends; and logs every key once', () => {
    fc.assert(
      fc.property(
        anyFlow,
        fc.array(fc.tuple(anyDeed, fc.nat({ max: 3_000 })), { maxLength: 30 }),
        (structure, deeds) => {
          const caller = new Caller({ structure, audio });
          let keys = 0;
          for (const [deed, pause] of deeds) {
            if (isOver(caller.next)) break;
            caller.now = Math.min(caller.now + pause, Math.max(caller.now, caller.wakeAt));
            const pressed = typeof deed === 'object' && caller.next.kind !== 'hand-over';
            live(caller, deed);
            keys += pressed ? 1 : 0;
            expect(caller.notes).toHaveLength(keys);
            const { next } = caller;
            if (next.kind === 'play' || next.kind === 'listen') {
              expect(next.wakeAt).toBeGreaterThan(caller.now);
              expect(next.wakeAt).toBeLessThanOrEqual(T0 + MAX_FLOW_MS);
            }
            if (next.kind === 'play') expect(caller.run.playId).toBe(next.playId);
            if (next.kind === 'stay' && deed !== 'waits')
              expect(caller.wakeAt).toBeGreaterThanOrEqual(caller.now);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('ends by itself within an hour if no more keys are pressed', () => {
    fc.assert(
      fc.property(anyFlow, (structure) => {
        const caller = new Caller({ structure, audio });
        // Each iteration takes at least a second.
        for (let round = 0; !isOver(caller.next) && round <= MAX_FLOW_MS / 1_000; round += 1)
          live(caller, 'waits');
        expect(isOver(caller.next)).toBe(true);
        expect(caller.now).toBeLessThanOrEqual(T0 + MAX_FLOW_MS + 1_000);
      }),
      { numRuns: 300 },
    );
  });
});

test('a result contains each exit taken, including those of nodes that were passed immediately', () => {
  const { structure } = flowOf({
    nodes: [play(), hangup],
    edges: [
      ['s', 'p'],
      ['p', 'h'],
    ],
  });
  const run = newFlowRun({ ivrFlowId: 1, structure }, T0);
  const first = interpret({ structure, audio }, run, { kind: 'entered' }, T0, 'one');
  expect(first.way).toEqual([{ nodeId: 's', exit: 'next' }]);
  const heard = { kind: 'prompt-ended', playId: 'one', played: true } as const;
  expect(interpret({ structure, audio }, first.run, heard, T0 + 1, 'two').way).toEqual([
    { nodeId: 'p', exit: 'next' },
  ]);
});
