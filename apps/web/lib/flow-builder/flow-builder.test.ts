import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { IvrFlowResource } from '@clarion/protocol/v1/tenant/ivr-flows';
import { checkFlow } from '@clarion/core/ivr/check-flow';
import { putIvrFlowBody } from '@clarion/protocol/v1/tenant/ivr-flows';
import {
  addNode,
  bodyOf,
  connect,
  copy,
  draftOf,
  freeId,
  idsOf,
  inWalkOrder,
  paste,
  remove,
  setData,
} from './draft.ts';
import type { Draft } from './draft.ts';
import { fieldsOf } from './fields.ts';
import { begin, commit, redo, undo } from './history.ts';
import { addableTypes, freeExit, starterData } from './kinds.ts';
import { layOut } from './layout.ts';
import { changedProblems, problemOfAnswer, problemsOf } from './problems.ts';
import { templateNames } from './template-names.ts';
import { draftFromTemplate } from './templates.ts';
import { choiceLabel, labelFromName } from './labels.ts';

const world = { queues: new Set([3]), agents: new Set([7]), audioAssets: new Set([9]) };
const settings = { name: 'Welcome', channelRef: 'main', triggerCondition: 'ALWAYS' } as const;
const menuFlow = (): Draft => {
  const draft = draftFromTemplate('menu', settings);
  const withSound = setData(draft, 'menu', { ...draft.nodes[1]?.data, audioFileId: 9 });
  return ['sales', 'support'].reduce(
    (each, id) => setData(each, id, { targetType: 'queue', targetId: 3 }),
    withSound,
  );
};

describe('a draft', () => {
  test('keeps all properties that another builder stored in a structure', () => {
    const structure = {
      note: 'ours',
      nodes: [
        { id: 's', type: 'ivr_start' as const, data: {}, position: { x: 10, y: -5 }, selected: true },
        { id: 'p', type: 'ivr_play' as const, data: { audioFileId: 9, colour: 'red' }, width: 80 },
      ],
      edges: [{ id: 'e', source: 's', target: 'p', animated: true }],
    };
    const flow: IvrFlowResource = {
      id: 1,
      ref: 'welcome',
      name: 'Welcome',
      channelId: 1,
      channelRef: 'main',
      status: 'ACTIVE',
      triggerCondition: 'ALWAYS',
      structure,
      createdAt: '2026-01-05T09:00:00.000Z',
      updatedAt: '2026-01-05T09:00:00.000Z',
    };
    expect(bodyOf(draftOf(flow)).structure).toEqual(structure);
  });

  test('has one start that cannot be removed; removing a node removes its edges', () => {
    const draft = remove(menuFlow(), new Set(['start', 'menu']));
    expect(draft.nodes.map(({ id }) => id)).toEqual(['start', 'sales', 'support']);
    expect(draft.edges).toEqual([]);
  });

  test('has one edge per exit', () => {
    const draft = connect(menuFlow(), 'menu', '1', 'support');
    expect(draft.edges.filter(({ exit }) => exit === '1')).toMatchObject([{ target: 'support' }]);
  });

  test('gives pasted nodes new IDs and keeps the edges between them', () => {
    const draft = menuFlow();
    const { draft: after, pasted } = paste(draft, copy(draft, new Set(['menu', 'sales', 'start'])));
    expect([...pasted]).toEqual(['menu-2', 'transfer']);
    expect(after.edges.at(-1)).toMatchObject({ source: 'menu-2', exit: '1', target: 'transfer' });
    expect(idsOf(after).size).toBe(after.nodes.length);
  });

  test('is listed in calling order, with unreachable nodes last', () => {
    const lost = addNode(menuFlow(), { id: 'x', type: 'ivr_hangup', position: null, data: {} });
    expect(inWalkOrder(lost).map(({ id }) => id)).toEqual(['start', 'menu', 'sales', 'support', 'x']);
  });
});

test('every change is one undo step; typing in one field is one step', () => {
  let history = begin('');
  for (const text of ['a', 'ab', 'abc']) history = commit(history, text, 'name');
  history = commit(history, 'moved');
  history = commit(history, 'moved');
  expect(undo(history).present).toBe('abc');
  expect(undo(undo(history)).present).toBe('');
  expect(redo(redo(undo(undo(history)))).present).toBe('moved');
  expect(commit(undo(history), 'other').future).toEqual([]);
  expect(undo(begin('x')).present).toBe('x');
});

describe('a panel', () => {
  test("has the fields of the node's schema, with their bounds", () => {
    expect(fieldsOf({ type: 'ivr_menu', data: {} })).toEqual([
      { name: 'audioFileId', shape: { kind: 'audio' }, required: true, fallback: undefined },
      { name: 'timeoutSeconds', shape: { kind: 'number', min: 1, max: 60 }, required: false, fallback: 5 },
      {
        name: 'noInputAction',
        shape: { kind: 'choice', values: ['replay', 'hangup', 'next'] },
        required: false,
        fallback: 'replay',
      },
      { name: 'maxReplays', shape: { kind: 'number', min: 0, max: 10 }, required: false, fallback: 3 },
    ]);
  });
  test('offers queues or agents, depending on the target type', () => {
    const target = (targetType: string) =>
      fieldsOf({ type: 'ivr_transfer', data: { targetType } }).find(({ name }) => name === 'targetId')?.shape;
    expect(target('queue')).toEqual({ kind: 'target', of: 'queue' });
    expect(target('agent')).toEqual({ kind: 'target', of: 'agent' });
  });
  test('has an editor for every field of every node type', () => {
    const shapes = addableTypes.flatMap((type) => fieldsOf({ type, data: starterData(type) }));
    expect(shapes.map(({ name }) => name)).toContain('exceptions');
    expect(shapes.find(({ name }) => name === 'hours')?.shape).toMatchObject({
      kind: 'rows',
      fields: [{ name: 'days', shape: { kind: 'some' } }, { name: 'from' }, { name: 'to' }],
    });
  });
});

describe('the errors of a draft', () => {
  test('are empty for a complete flow', () => expect(problemsOf(menuFlow(), world)).toEqual([]));

  test('are all listed at their node and field', () => {
    const found = problemsOf(draftFromTemplate('menu', settings), world);
    expect(found.map(({ nodeId, field, message }) => [nodeId, field, message])).toEqual([
      ['menu', 'audioFileId', 'is required'],
      ['sales', 'targetId', 'is required'],
      ['support', 'targetId', 'is required'],
    ]);
  });
  test('include those of the graph even if fields are incorrect', () => {
    const draft = draftFromTemplate('menu', settings);
    const found = problemsOf({ ...draft, edges: draft.edges.filter(({ exit }) => exit !== '2') }, world);
    expect(found.at(-1)).toMatchObject({
      nodeId: 'support',
      message: 'is unreachable: connect it',
    });
  });
  test('have the wording of the API for any draft', () => {
    const hurt = fc.record({
      dropEdge: fc.nat({ max: 3 }),
      targetId: fc.constantFrom(3, 4),
      audioFileId: fc.constantFrom(9, 8),
      extra: fc.boolean(),
    });
    fc.assert(
      fc.property(hurt, ({ dropEdge, targetId, audioFileId, extra }) => {
        let draft = setData(menuFlow(), 'menu', { audioFileId });
        draft = setData(draft, 'sales', { targetType: 'queue', targetId });
        draft = { ...draft, edges: draft.edges.filter((_, index) => index !== dropEdge) };
        if (extra) draft = addNode(draft, { id: 'x', type: 'ivr_hangup', position: null, data: {} });
        const first = checkFlow(putIvrFlowBody.parse(bodyOf(draft)).structure, world);
        const said = problemsOf(draft, world)[0]?.sentence ?? null;
        expect(said).toBe(first && `${first.field} ${first.message}.`);
      }),
      { numRuns: 100 },
    );
  });
  test('include those of an API response, at the node that it names', () => {
    const words = 'structure.nodes[3].data.targetId must be the ID of a queue of the tenant.';
    expect(problemOfAnswer(menuFlow(), 'structure.nodes[3].data.targetId', words)).toMatchObject({
      nodeId: 'support',
      field: 'targetId',
      message: 'is not selected, or no longer exists',
      sentence: words,
    });
    expect(problemOfAnswer(menuFlow(), 'trigger_condition', 'trigger_condition: taken.')).toMatchObject({
      nodeId: null,
      field: 'trigger_condition',
      message: 'taken',
    });
  });
});

test('templates lack only what the user must select', () => {
  for (const name of templateNames) {
    const found = problemsOf(draftFromTemplate(name, settings), world);
    const ids = found.filter(({ message }) => message !== 'is required');
    expect(ids.map(({ message }) => message)).toEqual(name === 'blank' ? ['needs a step after “Then”'] : []);
  }
});

test('an added node is connected to the first exit without an edge, keys in order', () => {
  const [, menu] = menuFlow().nodes;
  expect(menu && freeExit(menu, new Set(['1', '2']))).toBe('3');
  expect(menu && freeExit(menu, new Set())).toBe('1');
  expect(freeId(new Set(['menu']), 'ivr_menu')).toBe('menu-2');
});

test('a layout goes from left to right without overlapping nodes', () => {
  const at = layOut(menuFlow(), new Map());
  const x = (id: string) => at.get(id)?.x ?? Number.NaN;
  expect(x('start')).toBeLessThan(x('menu'));
  expect(x('menu')).toBeLessThan(x('sales'));
  expect(at.get('sales')?.y).not.toBe(at.get('support')?.y);
});

test('the target of key 1 is above the target of key 2', () => {
  const at = layOut(menuFlow(), new Map());
  expect(at.get('sales')?.y ?? 0).toBeLessThan(at.get('support')?.y ?? 0);
});

test('a value without a label is shown by its readable name', () => {
  expect(labelFromName('targetType')).toBe('Target type');
  expect(choiceLabel('days', 'MONDAY')).toBe('Monday');
  expect(labelFromName('ALL_AGENTS_BUSY')).toBe('All agents busy');
});

describe('the errors of a new flow', () => {
  const initial = draftFromTemplate('menu', settings);

  test('are not shown before the first change', () => {
    expect(problemsOf(initial, world)).not.toEqual([]);
    expect(changedProblems(problemsOf(initial, world), initial, initial)).toEqual([]);
  });

  test('are shown at an edited and at an added step', () => {
    const edited = setData(initial, 'menu', { ...initial.nodes[1]?.data, timeoutSeconds: 99 });
    const shown = changedProblems(problemsOf(edited, world), initial, edited);
    expect(new Set(shown.map(({ nodeId }) => nodeId))).toEqual(new Set(['menu']));
    const added = addNode(initial, { id: 'new', type: 'ivr_play', position: null, data: {} });
    const atNew = changedProblems(problemsOf(added, world), initial, added);
    expect(atNew.map(({ nodeId }) => nodeId)).toContain('new');
  });
});
