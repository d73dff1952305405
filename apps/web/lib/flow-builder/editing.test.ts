/** Editing of drafts: deleting, connecting, copying, undo, and restoring text from outside the page. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { restoreDraftAddress, isRestoring, readNewFlow } from './address.ts';
import {
  bodyOf,
  connect,
  copy,
  disconnect,
  edgeId,
  idsOf,
  isSame,
  nodeById,
  paste,
  place,
  reconnect,
  remove,
} from './draft.ts';
import type { Draft } from './draft.ts';
import { begin, commit, undo } from './history.ts';
import { clipText, unsavedDraftText, readClip, readUnsavedDraft } from './unsaved-draft.ts';
import { placed } from './placed.ts';
import { draftFromTemplate } from './templates.ts';

const settings = { name: 'Welcome', channelRef: 'main', triggerCondition: 'ALWAYS' } as const;
const flow = await placed(draftFromTemplate('menu', settings));
const NOTHING: ReadonlySet<string> = new Set();
const ways = ({ edges }: Draft) => edges.map(({ source, exit, target }) => `${source} ${exit} ${target}`);

describe('an action without effect is not an undo step', () => {
  test.each([
    ['removing the start', () => remove(flow, new Set(['start']))],
    ['removing what is gone', () => remove(flow, new Set(['gone']), new Set(['gone next']))],
    ['joining what is joined', () => connect(flow, 'menu', '1', 'sales')],
    ['parting what leads nowhere', () => disconnect(flow, 'menu', '9')],
    [
      'moving nothing',
      () => place(flow, new Map(flow.nodes.map(({ id, position }) => [id, { x: 0, y: 0, ...position }]))),
    ],
    [
      'putting an edge back where it was',
      () => reconnect(flow, { source: 'menu', exit: '1' }, { source: 'menu', exit: '1', target: 'sales' }),
    ],
  ])('%s', (_, work) => {
    const history = commit(begin(flow), work());
    expect(history.past).toEqual([]);
    expect(undo(history).present).toBe(flow);
  });
});

test('selected steps and edges are deleted together, with the edges of those steps', () => {
  const left = remove(flow, new Set(['start', 'sales']), new Set([edgeId({ source: 'menu', exit: '2' })]));
  expect([...idsOf(left)]).toEqual(['start', 'menu', 'support']);
  expect(ways(left)).toEqual(['start next menu']);
});

test('an edge moved to another exit leaves its old exit and replaces the edge of the new one', () => {
  const moved = reconnect(
    flow,
    { source: 'menu', exit: '1' },
    { source: 'menu', exit: '2', target: 'sales' },
  );
  expect(ways(moved)).toEqual(['start next menu', 'menu 2 sales']);
});

describe('copies', () => {
  const clip = copy(flow, new Set(['menu', 'sales']));

  test('never cover an existing step, however often they are pasted', () => {
    let draft = flow;
    for (let time = 0; time < 5; time += 1) draft = paste(draft, clip).draft;
    const spots = draft.nodes.map(({ position }) => `${position?.x} ${position?.y}`);
    expect(draft.nodes).toHaveLength(flow.nodes.length + 10);
    expect(new Set(spots).size).toBe(spots.length);
  });
  test('keep their positions in another flow', async () => {
    const other = await placed(draftFromTemplate('blank', settings));
    const { draft, pasted } = paste(other, clip);
    expect([...pasted]).toEqual(['menu', 'transfer']);
    expect(nodeById(draft, 'menu')?.position).toEqual(nodeById(flow, 'menu')?.position);
    expect(ways(draft)).toEqual(['menu 1 transfer']);
  });
  test('are the same after a round trip over the clipboard', () => {
    expect(readClip(clipText(clip))).toEqual(clip);
  });
  test('do not include the start, and other clipboard text is ignored', () => {
    expect(readClip(clipText({ nodes: flow.nodes, edges: [] }))?.nodes.map(({ id }) => id)).toEqual([
      'menu',
      'sales',
      'support',
    ]);
    expect(readClip(clipText({ nodes: flow.nodes.slice(0, 1), edges: [] }))).toBeNull();
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => readClip(text) === null),
      { numRuns: 200 },
    );
  });
});

describe('an unsaved draft', () => {
  const kept = { by: 'ada@acme.example', at: 1_700_000_000_000, base: null, draft: flow };

  test('is restored completely, for its owner only', () => {
    expect(readUnsavedDraft(unsavedDraftText(kept), kept.by)).toEqual(kept);
    expect(readUnsavedDraft(unsavedDraftText(kept), 'eve@acme.example')).toBeNull();
    expect(readUnsavedDraft(null, kept.by)).toBeNull();
    expect(readUnsavedDraft('{"by":"ada@acme.example","draft":{}}', kept.by)).toBeNull();
  });
  test('has a URL that restores it, as a new or as a stored flow', () => {
    const at = (address: string) => {
      const query = new URL(address, 'https://clarion.example').searchParams;
      return (name: string) => query.get(name) ?? '';
    };
    const begun = at(restoreDraftAddress('acme', 'welcome', flow, false));
    expect(isRestoring(begun)).toBe(true);
    expect(readNewFlow(begun)).toEqual({ ...settings, template: 'blank' });
    const opened = at(restoreDraftAddress('acme', 'welcome', flow, true));
    expect(isRestoring(opened)).toBe(true);
    expect(readNewFlow(opened)).toBeNull();
    expect(isRestoring(at('/app/t/acme/flows/welcome'))).toBe(false);
  });
});

test('two drafts are equal if they would be stored identically', () => {
  const nudged = place(flow, new Map([['menu', { x: 1, y: 2 }]]));
  expect(isSame(flow, structuredClone(flow))).toBe(true);
  expect(isSame(flow, nudged)).toBe(false);
  expect(bodyOf(nudged)).not.toEqual(bodyOf(flow));
});

test('known positions are kept, and steps without a position are placed below', async () => {
  const { nodes } = flow;
  const lost: Draft = {
    ...flow,
    nodes: nodes.map((node) => (node.id === 'sales' ? { ...node, position: null } : node)),
  };
  const found = await placed(lost);
  const lowest = Math.max(...lost.nodes.map(({ position }) => position?.y ?? Number.NEGATIVE_INFINITY));
  expect(nodeById(found, 'sales')?.position?.y).toBeGreaterThan(lowest);
  expect(nodeById(found, 'menu')?.position).toEqual(nodeById(flow, 'menu')?.position);
  expect(remove(found, NOTHING)).toBe(found);
});
