import { exitOf, factsOf, ivrStructure } from '@clarion/protocol/ivr/structure';
import type { IvrStructure } from '@clarion/protocol/ivr/structure';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkFlow, flowProblems } from './check-flow.ts';

const world = { queues: new Set([3]), agents: new Set([7]), audioAssets: new Set([9]) };
type Sent = { nodes: unknown[]; edges: unknown[] };
const fieldOf = (structure: Sent) => checkFlow(ivrStructure.parse(structure), world)?.field ?? null;

const start = { id: 's', type: 'ivr_start' };
const menu = { id: 'm', type: 'ivr_menu', data: { audioFileId: 9 } };
const hangup = { id: 'h', type: 'ivr_hangup' };
const hours = (id: string) => ({ id, type: 'ivr_hours', data: { timezone: 'UTC', hours: [] } });
const toQueue = (id: string, targetId = 3) => ({
  id,
  type: 'ivr_transfer',
  data: { targetType: 'queue', targetId },
});
const edge = (source: string, target: string, sourceHandle?: string) => ({ source, target, sourceHandle });

test('each problem of a graph is reported at its place', () => {
  const ok: Sent = {
    nodes: [start, menu, toQueue('q'), hangup],
    edges: [edge('s', 'm'), edge('m', 'q', '1'), edge('m', 'h', '#'), edge('m', 'm', '9')],
  };
  const withNodes = (...nodes: unknown[]): Sent => ({ ...ok, nodes: [...ok.nodes, ...nodes] });
  const withEdges = (...edges: unknown[]): Sent => ({ ...ok, edges: [...ok.edges, ...edges] });
  for (const [structure, field] of [
    [ok, null],
    [{ nodes: [], edges: [] }, 'structure.nodes'],
    [{ nodes: [menu], edges: [] }, 'structure.nodes'],
    [withNodes({ id: 's2', type: 'ivr_start' }), 'structure.nodes[4].type'],
    [withNodes(hangup), 'structure.nodes[4].id'],
    [withNodes({ ...hangup, id: 'alone' }), 'structure.nodes[4]'],
    [withEdges(edge('x', 'h')), 'structure.edges[4].source'],
    [withEdges(edge('m', 'x', '2')), 'structure.edges[4].target'],
    [withEdges(edge('m', 'h', 'A')), 'structure.edges[4].sourceHandle'],
    [withEdges(edge('m', 'h', '12')), 'structure.edges[4].sourceHandle'],
    [withEdges(edge('m', 'h', '1')), 'structure.edges[4].sourceHandle'],
    [withEdges(edge('s', 'h', 'next')), 'structure.edges[4].sourceHandle'],
    [withEdges(edge('h', 's')), 'structure.edges[4].sourceHandle'],
    [withEdges(edge('m', 's', 'next')), null],
    [{ nodes: [start], edges: [] }, 'structure.nodes[0]'],
    [
      {
        nodes: [start, { ...menu, data: { audioFileId: 9, noInputAction: 'next' } }],
        edges: [edge('s', 'm')],
      },
      'structure.nodes[1].data.noInputAction',
    ],
    [{ nodes: [start, toQueue('q', 4)], edges: [edge('s', 'q')] }, 'structure.nodes[1].data.targetId'],
    [
      { nodes: [start, { ...menu, data: { audioFileId: 8 } }], edges: [edge('s', 'm')] },
      'structure.nodes[1].data.audioFileId',
    ],
    [
      {
        nodes: [start, { id: 'a', type: 'ivr_transfer', data: { targetType: 'agent', targetId: 3 } }],
        edges: [edge('s', 'a')],
      },
      'structure.nodes[1].data.targetId',
    ],
    [{ nodes: [start, hours('o')], edges: [edge('s', 'o'), edge('o', 'o', 'open')] }, 'structure.edges[1]'],
    [
      {
        nodes: [start, hours('a'), toQueue('q')],
        edges: [edge('s', 'a'), edge('a', 'q', 'closed'), edge('q', 'a', 'overflow')],
      },
      'structure.edges[2]',
    ],
  ] as const) {
    expect(fieldOf(structure as Sent), JSON.stringify(structure)).toBe(field);
  }
});

const dataOf: Record<string, unknown> = {
  ivr_start: {},
  ivr_menu: { audioFileId: 9 },
  ivr_play: { audioFileId: 9 },
  ivr_gather: { audioFileId: 9 },
  ivr_hours: { timezone: 'UTC', hours: [] },
  ivr_transfer: { targetType: 'queue', targetId: 3 },
  ivr_hangup: {},
};
const types = ['ivr_menu', 'ivr_play', 'ivr_gather', 'ivr_hours', 'ivr_transfer', 'ivr_hangup'];

/** A tree from one start to all nodes, then further edges from unused exits. */
const flow = fc
  .record({
    kinds: fc.array(fc.constantFrom(...types), { maxLength: 12 }),
    picks: fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
    across: fc.nat({ max: 8 }),
  })
  .map(({ kinds, picks, across }): IvrStructure => {
    let next = 0;
    const pick = (below: number) => (picks[next++ % picks.length] ?? 0) % below;
    const nodes = ['ivr_start', ...kinds].map((type, i) => ({ id: `n${i}`, type, data: dataOf[type] }));
    const parsed = ivrStructure.parse({ nodes, edges: [] }).nodes;
    const left = parsed.flatMap((node) => factsOf(node).exits.map((exit) => ({ node, exit })));
    const edges: unknown[] = [];
    const take = (choices: typeof left, target: string) => {
      const chosen = choices[pick(choices.length)];
      if (!chosen) return;
      left.splice(left.indexOf(chosen), 1);
      edges.push({ source: chosen.node.id, target, sourceHandle: chosen.exit });
    };
    const placed = parsed.slice(0, 1);
    for (const node of parsed.slice(1)) {
      const free = left.filter((exit) => placed.includes(exit.node));
      if (free.length === 0) break;
      take(free, node.id);
      placed.push(node);
    }
    for (let i = 0; i < across && left.length > 0; i += 1) take(left, `n${pick(nodes.length)}`);
    return ivrStructure.parse({ nodes, edges });
  });

/** Whether `to` can be reached from `from`, by the transitive closure. */
function reaches(
  structure: IvrStructure,
  from: string,
  to: string,
  through: (id: string) => boolean,
): boolean {
  const seen = new Set<string>();
  let border = [from];
  while (border.length > 0) {
    border = structure.edges
      .filter(
        ({ source, target }) =>
          border.includes(source) && through(source) && through(target) && !seen.has(target),
      )
      .map(({ target }) => target);
    for (const id of border) seen.add(id);
  }
  return seen.has(to);
}

test('a flow is valid if and only if a brute-force search finds no problem', () => {
  fc.assert(
    fc.property(flow, (structure) => {
      const silent = (id: string) => {
        const node = structure.nodes.find((one) => one.id === id);
        return node !== undefined && !factsOf(node).takesTime;
      };
      const started = structure.edges.some(({ source }) => source === 'n0');
      const lost = structure.nodes.some(({ id }) => id !== 'n0' && !reaches(structure, 'n0', id, () => true));
      const loop = structure.nodes.some(({ id }) => reaches(structure, id, id, silent));
      expect(checkFlow(structure, world) === null, JSON.stringify(structure)).toBe(started && !lost && !loop);
    }),
    { numRuns: 2_000 },
  );
});

test('for any change of a valid flow, the result is null or names an existing place', () => {
  const hurt = fc.record({
    structure: flow,
    node: fc.nat(),
    edge: fc.nat(),
    handle: fc.constantFrom('next', '1', 'open', 'overflow', 'x'),
    what: fc.constantFrom('drop node', 'double node', 'drop edge', 'double edge', 'rename exit', 'retarget'),
  });
  fc.assert(
    fc.property(hurt, ({ structure, what, handle, ...picked }) => {
      const nodes = [...structure.nodes];
      const edges = [...structure.edges];
      const n = picked.node % nodes.length;
      const e = picked.edge % Math.max(1, edges.length);
      const [node, one] = [nodes[n], edges[e]];
      if (what === 'drop node') nodes.splice(n, 1);
      if (what === 'double node' && node) nodes.push(node);
      if (what === 'drop edge') edges.splice(e, 1);
      if (what === 'double edge' && one) edges.push(one);
      if (what === 'rename exit' && one) edges[e] = { ...one, sourceHandle: handle };
      if (what === 'retarget' && one) edges[e] = { ...one, target: 'nobody' };
      const problem = checkFlow({ ...structure, nodes, edges }, world);
      if (what === 'double node') expect(problem?.field).toBe(`structure.nodes[${nodes.length - 1}].id`);
      if (what === 'double edge' && one) expect(problem?.field).toMatch(/edges\[\d+\]\.sourceHandle$/);
      if (what === 'retarget' && one) expect(problem?.field).toBe(`structure.edges[${e}].target`);
      if (!problem) {
        const used = edges.map((left) => `${left.source} ${exitOf(left)}`);
        expect(new Set(used).size).toBe(used.length);
        return;
      }
      const [, list, index] = /^structure\.(nodes|edges)(?:\[(\d+)\])?/.exec(problem.field) ?? [];
      expect(list).toBeDefined();
      if (index !== undefined) expect(Number(index)).toBeLessThan((list === 'nodes' ? nodes : edges).length);
    }),
    { numRuns: 2_000 },
  );
});

test('the largest flow is checked quickly', () => {
  const nodes = Array.from({ length: 200 }, (_, i) =>
    i === 0 ? { id: 'n0', type: 'ivr_start' } : { ...hours(`n${i}`) },
  );
  const edges = nodes
    .slice(0, -1)
    .flatMap((node, i) =>
      i === 0
        ? [edge('n0', 'n1')]
        : [edge(node.id, `n${i + 1}`, 'open'), edge(node.id, `n${Math.min(199, i + 2)}`, 'closed')],
    );
  const began = performance.now();
  expect(fieldOf({ nodes, edges })).toBe(null);
  expect(performance.now() - began).toBeLessThan(500);
});

test('the flow builder gets every problem, the first of which is the one that the API returns', () => {
  const structure = ivrStructure.parse({
    nodes: [start, menu, { ...toQueue('q', 4) }, { ...toQueue('r', 5) }, { ...hangup, id: 'lost' }],
    edges: [edge('s', 'm'), edge('m', 'q', '1'), edge('m', 'r', '2'), edge('m', 'nobody', '3')],
  });
  const found = [...flowProblems(structure, world)];
  expect(found.map(({ field }) => field)).toEqual([
    'structure.edges[3].target',
    'structure.nodes[4]',
    'structure.nodes[2].data.targetId',
    'structure.nodes[3].data.targetId',
  ]);
  expect(checkFlow(structure, world)).toEqual(found[0]);
});
