import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { errorTable } from '../errors.ts';
import { commonErrors, pathFields, type EndpointDefinition } from './endpoint.ts';
import { fieldError } from './fields/field-error.ts';
import { allEndpoints, planned, type PlannedName } from './planned.ts';
import { registry } from './registry.ts';

const endpoints: [string, EndpointDefinition][] = Object.entries(planned);
const definition = (name: PlannedName): EndpointDefinition => planned[name];

/** The field for which the example with these changes is rejected; null if it is accepted. */
function rejectedField(name: PlannedName, change: Record<string, unknown>, part: 'body' | 'query' = 'body') {
  const { body, query, example } = definition(name);
  const schema = (part === 'body' ? body : query) ?? z.never();
  const given = part === 'body' ? { ...(example.body as object), ...change } : change;
  const parsed = schema.safeParse(given, { reportInput: true });
  return parsed.success ? null : fieldError(parsed.error).details?.field;
}
const parsedBody = (name: PlannedName, body: unknown) => definition(name).body?.parse(body);
const chars = (count: number) => 'x'.repeat(count);

describe('a planned endpoint', () => {
  test.each(endpoints)('%s: its example matches its schemas', (_, { example, body, query, answer, path }) => {
    if (body) expect(body.safeParse(example.body).error).toBeUndefined();
    else expect(example.body).toBeUndefined();
    if (query) {
      const values = Object.fromEntries(new URLSearchParams(example.query));
      expect(query.safeParse(values).error).toBeUndefined();
    }
    if (answer.body) expect(answer.body.safeParse(example.answer).error).toBeUndefined();
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field);
    expect(Object.keys(example.path ?? {})).toEqual(named);
    for (const field of named) expect(pathFields).toHaveProperty(field ?? '');
  });

  test('has a unique path and name, and lists only errors that not every endpoint has', () => {
    const places = Object.values(allEndpoints).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(places).size).toBe(places.length);
    expect(Object.keys(planned).filter((name) => name in registry)).toEqual([]);
    for (const [name, { errors, method, summary }] of endpoints) {
      expect(summary, name).toMatch(/\.$/);
      for (const code of errors) expect(errorTable, name).toHaveProperty(code);
      expect(
        errors.filter((code) => (commonErrors as readonly string[]).includes(code)),
        name,
      ).toEqual([]);
      expect(errors.includes('idempotency_key_in_use'), name).toBe(method === 'POST');
    }
  });

  test('can be converted to JSON Schema, both its request and its response', () => {
    for (const [name, { body, query, answer }] of endpoints) {
      for (const schema of [body, query])
        if (schema) expect(z.toJSONSchema(schema, { io: 'input' }), name).toHaveProperty('type', 'object');
      if (answer.body) expect(() => z.toJSONSchema(answer.body ?? z.never()), name).not.toThrow();
    }
  });
});

/** Values at the limits of docs/requirements.md#limits, and one past them. */
const bounds: [PlannedName, 'body' | 'query', string, edges: unknown[], past: unknown[]][] = [
  ['createTrunk', 'body', 'name', [chars(64), '0.a-b_C'], [chars(65), '-a', 'a b', '', 'é']],
  [
    'createTrunk',
    'body',
    'host',
    [`${chars(60)}.`.repeat(4) + chars(11), '8.8.8.8', '2606:4700::1'],
    [`${chars(60)}.`.repeat(4) + chars(12), 'a b', '1.2.3', 'x_y'],
  ],
  ['createTrunk', 'body', 'port', [1, 65_535], [0, 65_536, 1.5, '5060']],
  ['createTrunk', 'body', 'transport', ['udp', 'TLS'], ['WS', 5]],
  ['createTrunk', 'body', 'country_code', ['1', '999', 44], ['', '1234', '+44', 'a'].slice(1)],
  ['createTrunk', 'body', 'national_prefix', ['0', '9999', 0], ['12345', 'a']],
  ['createTrunk', 'body', 'username', [chars(128)], [chars(129)]],
  ['createTrunk', 'body', 'password', [chars(128)], [chars(129)]],
  ['createTrunk', 'body', 'codecs', [null, [], ['pcma'], ['OPUS', 'G722']], ['PCMA', 8]],
  ['setTrunkStatus', 'body', 'status', ['active', 'DISABLED'], ['DRAFT', null]],
  ['createPricePlan', 'body', 'name', [chars(128)], [chars(129), ' ']],
  ['createPricePlan', 'body', 'description', [chars(500), null], [chars(501)]],
  ['createPricePlan', 'body', 'currency', ['usd', 'EUR'], ['QQQ', 840]],
  ['putBillingAccount', 'body', 'invoice_due_days', [0, 120], [-1, 121]],
  ['putBillingAccount', 'body', 'mode', ['postpaid'], [null, 'FREE']],
  ['createTopUp', 'body', 'amount', [0.01, '0.01'], [0.009, 0, -1, 'x', null]],
  ['createTopUp', 'body', 'reference', [chars(191)], [chars(192)]],
  ['createAdjustment', 'body', 'amount', [-0.01, '1'], [0, '0.00', '-0']],
  ['createAdjustment', 'body', 'reason', [chars(255)], [chars(256), ' ']],
  ['listTransactions', 'query', 'limit', ['1', '200'], ['0', '201']],
  ['listInvoices', 'query', 'limit', ['1', '200'], ['0', '201']],
  ['listNumbers', 'query', 'status', ['released'], ['LOST']],
  ['listNumbers', 'query', 'tenant_ref', [chars(191)], [chars(192)]],
];

test.each(bounds)(
  '%s: the limits of %s %s are inclusive, and an error names the field',
  (name, part, field, edges, past) => {
    for (const value of edges)
      expect(rejectedField(name, { [field]: value }, part), String(value)).toBeNull();
    for (const value of past)
      expect(rejectedField(name, { [field]: value }, part), String(value)).toBe(field);
  },
);

describe('a trunk', () => {
  test('accepts at most 20 addresses, as a list or one string, none wider than /24 or /48', () => {
    const sources = (inbound_source_cidrs: unknown) => rejectedField('createTrunk', { inbound_source_cidrs });
    const list = Array.from({ length: 21 }, (_, i) => `198.41.0.${i}`);
    const edges = [
      '198.41.0.0/24',
      '2606:4700:1::/48',
      '',
      ' 198.41.0.4, 198.41.0.5 ',
      list.slice(1),
      list.slice(1).join(' '),
    ];
    for (const edge of edges) expect(sources(edge)).toBeNull();
    for (const past of [list, list.join(','), 7]) expect(sources(past)).toBe('inbound_source_cidrs');
    expect(sources(['198.41.0.4', '198.41.0.0/23'])).toBe('inbound_source_cidrs[1]');
    expect(sources(['2606:4700::/47'])).toBe('inbound_source_cidrs[0]');
    expect(sources('198.41.0.4 carrier.example')).toBe('inbound_source_cidrs[1]');
  });

  test('names inbound, outbound or redirect as a whole for an invalid tech prefix', () => {
    const bad = (tech_prefixes: unknown) => rejectedField('putTrunk', { tech_prefixes });
    const inbound = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ prefix: `${i}#*`, purpose: 'forward' }));
    const longest = '1234567890123456';
    for (const good of [null, {}, { inbound: inbound(20), outbound: longest, redirect: '#' }])
      expect(bad(good)).toBeNull();
    for (const wrong of [
      inbound(21),
      [...inbound(1), ...inbound(1)],
      [{ prefix: `${longest}7`, purpose: 'FILTER' }],
      [{ prefix: '1', purpose: 'KEEP' }],
      [{ prefix: '1' }],
      '1',
    ])
      expect(bad({ inbound: wrong })).toBe('tech_prefixes.inbound');
    expect(bad({ outbound: 'a' })).toBe('tech_prefixes.outbound');
    expect(bad({ redirect: `${longest}7` })).toBe('tech_prefixes.redirect');
  });

  test('requires a host unless it has a template; omitted tech prefixes are kept, and null removes them', () => {
    expect(rejectedField('createTrunk', { host: null })).toBe('host');
    expect(rejectedField('createTrunk', { host: null, template_id: 2 })).toBeNull();
    expect(rejectedField('createTrunk', { country_code: null })).toBe('national_prefix');
    expect(parsedBody('putTrunk', { host: 'a.example' })).toMatchObject({
      port: 5060,
      transport: 'UDP',
      credentials: null,
    });
    expect(parsedBody('putTrunk', { host: 'a.example' })).toHaveProperty('techPrefixes', undefined);
    expect(parsedBody('putTrunk', { host: 'a.example', tech_prefixes: null })).toHaveProperty(
      'techPrefixes',
      null,
    );
    expect(parsedBody('putTrunk', { host: 'a.example', password: 'p' })).toHaveProperty('credentials', null);
  });
});

describe('a price plan', () => {
  const items = (...list: unknown[]) => rejectedField('putPricePlan', { items: list });
  const flat = { kind: 'seat', method: 'flat', flat_rate: 5 };
  test('has at most 50 items, and the error names the field of the invalid one', () => {
    expect(items(...Array.from({ length: 50 }, () => flat))).toBeNull();
    expect(items(...Array.from({ length: 51 }, () => flat))).toBe('items');
    const bad: [Record<string, unknown>, string | null][] = [
      [{ kind: 'CALL', method: 'DECK' }, 'items[1].deck_id'],
      [{ kind: 'SEAT', method: 'DECK', deck_id: 1 }, 'items[1].method'],
      [{ kind: 'SEAT', method: 'DECK_MARKUP', deck_id: 1, markup_percent: 5 }, 'items[1].deck_id'],
      [{ kind: 'SEAT', method: 'FLAT' }, 'items[1].flat_rate'],
      [{ ...flat, flat_rate: -1 }, 'items[1].flat_rate'],
      [{ kind: 'CALL', method: 'DECK_MARKUP' }, 'items[1].markup_percent'],
      [{ kind: 'CALL', method: 'DECK_MARKUP', markup_percent: -101 }, 'items[1].markup_percent'],
      [{ kind: 'CALL', method: 'DECK_MARKUP', markup_percent: -100 }, null],
      [{ ...flat, initial_seconds: 3601 }, 'items[1].initial_seconds'],
      [{ ...flat, increment_seconds: 0 }, 'items[1].increment_seconds'],
      [{ ...flat, kind: 'FAX' }, 'items[1].kind'],
    ];
    for (const [item, field] of bad) expect(items(flat, item), JSON.stringify(item)).toBe(field);
  });
});

test('only POSTPAID accounts have a credit limit, and a usage window is at most 400 days', () => {
  expect(rejectedField('putBillingAccount', { mode: 'prepaid', credit_limit: 5 })).toBe('credit_limit');
  expect(rejectedField('putBillingAccount', { mode: 'postpaid', credit_limit: '5.5' })).toBeNull();
  const window = (from: string, to: string) => rejectedField('repriceUsage', { from, to });
  expect(window('2025-01-01', '2026-02-05')).toBeNull();
  expect(window('2025-01-01', '2026-02-06')).toBe('from');
  expect(window('2026-01-01', '2026-01-01')).toBe('to');
  expect(rejectedField('repriceUsage', { from: 'then' })).toBe('from');
});
