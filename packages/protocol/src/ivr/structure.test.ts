import { expect, test } from 'vitest';
import { putIvrFlowBody } from '../v1/tenant/ivr-flows.ts';
import { fieldPath } from '../v1/fields/field-error.ts';
import { ivrNodes, ivrNodeTypes } from './nodes/index.ts';
import { factsOf, ivrStructure, MAX_EDGES, MAX_NODES, MAX_STRUCTURE_BYTES } from './structure.ts';

const start = { id: 's', type: 'ivr_start' };
const body = (structure: unknown) => ({ name: 'F', channel_ref: 'main', structure });
/** The field that is rejected; null: the structure is valid. */
const rejectedField = (structure: unknown) => {
  const read = putIvrFlowBody.safeParse(body(structure), { reportInput: true });
  const [issue] = read.error?.issues ?? [];
  return issue ? fieldPath(issue.path) : null;
};
const node = (type: string, data: unknown) => ({ nodes: [start, { id: 'n', type, data }], edges: [] });
const at = (field: string) => `structure.nodes[1].data.${field}`;

test('additional fields in nodes, data and edges are kept unchanged', () => {
  const structure = {
    nodes: [
      { ...start, position: { x: 1.5, y: -2 }, width: 80, data: { label: 'Begin', colour: null } },
      { id: 'p', type: 'ivr_play', data: { audioFileId: 3, label: 'Hello' }, selected: true },
    ],
    edges: [{ id: 'e1', source: 's', target: 'p', targetHandle: 'in', animated: true }],
  };
  expect(putIvrFlowBody.parse(body(structure)).structure).toEqual(structure);
});

test('types and enum values are case-insensitive, data may be omitted if the type has no required fields, and defaults are filled in', () => {
  const { structure } = putIvrFlowBody.parse(
    body({
      nodes: [
        { id: ' s ', type: ' IVR_Start ' },
        { id: 'm', type: 'ivr_menu', data: { audioFileId: 1, noInputAction: 'HangUp' } },
        { id: 'g', type: 'ivr_gather', data: { audioFileId: 1, finishOnKey: ' ' } },
        { id: 't', type: 'ivr_transfer', data: { targetType: 'QUEUE', targetId: 2 } },
      ],
      edges: [{ source: 's', target: ' m', sourceHandle: null }],
    }),
  );
  expect(structure.nodes.map(({ data }) => data)).toEqual([
    {},
    { audioFileId: 1, timeoutSeconds: 5, noInputAction: 'hangup', maxReplays: 3 },
    { audioFileId: 1, maxDigits: 16, finishOnKey: '#', timeoutSeconds: 5 },
    { targetType: 'queue', targetId: 2 },
  ]);
  expect(structure.nodes[0]).toMatchObject({ id: 's', type: 'ivr_start' });
  expect(structure.edges).toMatchObject([{ source: 's', target: 'm' }]);
  expect(ivrStructure.parse(structure)).toEqual(structure);
});

test('an invalid field of a node is named by its path', () => {
  const hours = (more: object) => node('ivr_hours', { timezone: 'Europe/London', hours: [], ...more });
  const week = (more: object) =>
    hours({ hours: [{ days: ['MONDAY'], from: '09:00', to: '17:00', ...more }] });
  for (const [structure, field] of [
    [undefined, 'structure'],
    ['text', 'structure'],
    [{ edges: [] }, 'structure.nodes'],
    [{ nodes: [start] }, 'structure.edges'],
    [{ nodes: [{ id: 's' }], edges: [] }, 'structure.nodes[0].type'],
    [{ nodes: [{ id: 's', type: 'ivr_dance' }], edges: [] }, 'structure.nodes[0].type'],
    [{ nodes: [{ type: 'ivr_start' }], edges: [] }, 'structure.nodes[0].id'],
    [{ nodes: [{ id: 'x'.repeat(101), type: 'ivr_start' }], edges: [] }, 'structure.nodes[0].id'],
    [{ nodes: [null], edges: [] }, 'structure.nodes[0]'],
    [{ nodes: [start], edges: [{ target: 's' }] }, 'structure.edges[0].source'],
    [{ nodes: [start], edges: [{ source: 's' }] }, 'structure.edges[0].target'],
    [
      { nodes: [start], edges: [{ source: 's', target: 's', sourceHandle: 1 }] },
      'structure.edges[0].sourceHandle',
    ],
    [node('ivr_play', {}), at('audioFileId')],
    [node('ivr_play', undefined), at('audioFileId')],
    [node('ivr_play', 'text'), 'structure.nodes[1].data'],
    [node('ivr_play', { audioFileId: 0 }), at('audioFileId')],
    [node('ivr_play', { audioFileId: 2 ** 31 }), at('audioFileId')],
    [node('ivr_play', { audioFileId: '9' }), at('audioFileId')],
    [node('ivr_menu', { audioFileId: 1, timeoutSeconds: 0 }), at('timeoutSeconds')],
    [node('ivr_menu', { audioFileId: 1, timeoutSeconds: 61 }), at('timeoutSeconds')],
    [node('ivr_menu', { audioFileId: 1, noInputAction: 'shrug' }), at('noInputAction')],
    [node('ivr_menu', { audioFileId: 1, maxReplays: 11 }), at('maxReplays')],
    [node('ivr_menu', { audioFileId: 1, maxReplays: -1 }), at('maxReplays')],
    [node('ivr_gather', { audioFileId: 1, maxDigits: 33 }), at('maxDigits')],
    [node('ivr_gather', { audioFileId: 1, maxDigits: 0 }), at('maxDigits')],
    [node('ivr_gather', { audioFileId: 1, finishOnKey: '5' }), at('finishOnKey')],
    [node('ivr_transfer', { targetType: 'queue' }), at('targetId')],
    [node('ivr_transfer', { targetType: 'line', targetId: 1 }), at('targetType')],
    [hours({ timezone: 'Mars/Olympus' }), at('timezone')],
    [hours({ timezone: '+02:00' }), at('timezone')],
    [hours({ hours: undefined }), at('hours')],
    [week({ days: [] }), at('hours[0].days')],
    [week({ days: ['FUNDAY'] }), at('hours[0].days[0]')],
    [week({ from: '9:00' }), at('hours[0].from')],
    [week({ to: '24:01' }), at('hours[0].to')],
    [week({ from: '17:00' }), at('hours[0].to')],
    [hours({ exceptions: [{ date: '2026-02-30' }] }), at('exceptions[0].date')],
    [hours({ exceptions: [{ date: '2026-02-03' }, { date: '2026-02-03' }] }), at('exceptions[1].date')],
    [
      hours({ exceptions: [{ date: '2026-02-03', hours: [{ from: '10:00', to: '09:00' }] }] }),
      at('exceptions[0].hours[0].to'),
    ],
  ] as const) {
    expect(rejectedField(structure), JSON.stringify(structure)).toBe(field);
  }
  expect(rejectedField(week({ to: '24:00', days: ['monday', 'SUNDAY'] }))).toBe(null);
  expect(rejectedField(hours({ exceptions: [{ date: '2026-12-25' }] }))).toBe(null);
});

test('the size of a structure is limited', () => {
  const nodes = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: `n${i}`, type: 'ivr_hangup' }));
  const edges = (count: number) => Array.from({ length: count }, () => ({ source: 'n0', target: 'n0' }));
  expect(rejectedField({ nodes: nodes(MAX_NODES), edges: edges(MAX_EDGES) })).toBe(null);
  expect(rejectedField({ nodes: nodes(MAX_NODES + 1), edges: [] })).toBe('structure.nodes');
  expect(rejectedField({ nodes: nodes(1), edges: edges(MAX_EDGES + 1) })).toBe('structure.edges');
  const padded = (bytes: number) => {
    const empty = JSON.stringify({ nodes: [start], edges: [], note: '' }).length;
    return { nodes: [start], edges: [], note: 'x'.repeat(bytes - empty) };
  };
  expect(rejectedField(padded(MAX_STRUCTURE_BYTES))).toBe(null);
  expect(rejectedField(padded(MAX_STRUCTURE_BYTES + 1))).toBe('structure');
  expect(rejectedField({ nodes: [{ ...start, note: 'a\0b' }], edges: [] })).toBe('structure');
});

test('every node type is defined, and each reports its exits', () => {
  expect(Object.keys(ivrNodes)).toEqual([...ivrNodeTypes]);
  const exits = (type: string, data: unknown) => {
    const parsed = ivrStructure.parse({ nodes: [{ id: 'n', type, data }], edges: [] }).nodes[0];
    return parsed && factsOf(parsed).exits.join(' ');
  };
  expect(exits('ivr_start', {})).toBe('next');
  expect(exits('ivr_menu', { audioFileId: 1 })).toBe('0 1 2 3 4 5 6 7 8 9 * # next');
  expect(exits('ivr_play', { audioFileId: 1 })).toBe('next');
  expect(exits('ivr_gather', { audioFileId: 1 })).toBe('next timeout');
  expect(exits('ivr_hours', { timezone: 'UTC', hours: [] })).toBe('open closed');
  expect(exits('ivr_transfer', { targetType: 'agent', targetId: 1 })).toBe('overflow');
  expect(exits('ivr_hangup', {})).toBe('');
});
