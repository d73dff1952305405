import { describe, expect, test } from 'vitest';
import { fieldError } from '../fields/field-error.ts';
import { putChannelBody } from './channels.ts';
import { listNumbersQuery } from './numbers.ts';
import { createTrunkBody, putTrunkBody } from './trunk-body.ts';
import { trunkChangeEndpoints } from './trunk-changes.ts';
import { putTrunkStatusBody } from './trunk-changes.ts';

const example = trunkChangeEndpoints.createTrunk.example.body;
const chars = (count: number) => 'x'.repeat(count);

/** The field for which the body is rejected; null if it is accepted. */
function rejected(
  schema: typeof createTrunkBody | typeof putTrunkBody | typeof putChannelBody,
  body: unknown,
): string | null {
  const parsed = schema.safeParse(body, { reportInput: true });
  return parsed.success ? null : (fieldError(parsed.error).details?.field ?? '');
}
/** The example with these changes. */
const field = (change: Record<string, unknown>) => rejected(createTrunkBody, { ...example, ...change });

/** Values at the limits of docs/requirements.md#limits, and past them. */
const bounds: [string, edges: unknown[], past: unknown[]][] = [
  ['name', [chars(64), '0.a-b_C'], [chars(65), '-a', 'a b', '', 'é']],
  [
    'host',
    [`${chars(60)}.`.repeat(4) + chars(11), '8.8.8.8', '2606:4700::1'],
    [`${chars(60)}.`.repeat(4) + chars(12), 'a b', '1.2.3', 'x_y'],
  ],
  ['port', [1, 65_535], [0, 65_536, 1.5, '5060']],
  ['transport', ['udp', 'TLS'], ['WS', 5]],
  ['country_code', ['1', '999', 44], ['1234', '+44', 'a']],
  ['national_prefix', ['0', '9999', 0], ['12345', 'a']],
  ['username', [chars(128)], [chars(129)]],
  ['password', [chars(128)], [chars(129)]],
  ['codecs', [null, [], ['pcma'], ['G722', 'PCMU', 'pcma']], ['PCMA', 8, ['OPUS'], ['PCMA', 'OPUS'], [8]]],
  ['max_calls', [1, 10_000, null], [0, 10_001, 1.5]],
  ['calls_per_second', [1, 1_000, null], [0, 1_001, '5']],
  ['destinations', [[], Array.from({ length: 8 }, () => ({ host: 'a.example' }))], ['a.example', {}]],
  ['register', [true, false, null], ['yes', 1]],
];
test.each(bounds)('the limits of %s are inclusive, and an error names the field', (name, edges, past) => {
  for (const value of edges) expect(field({ [name]: value }), String(value)).toBeNull();
  for (const value of past) expect(field({ [name]: value }), JSON.stringify(value)).toBe(name);
});

describe('source addresses', () => {
  test('are at most 20, as a list or one string, none wider than /24 or /48', () => {
    const sources = (inbound_source_cidrs: unknown) => field({ inbound_source_cidrs });
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
    expect(sources([7])).toBe('inbound_source_cidrs[0]');
    expect(sources('198.41.0.4 carrier.example')).toBe('inbound_source_cidrs');
  });

  test('are kept once, with the field in which they were sent', () => {
    const sent = (inbound_source_cidrs: unknown) => {
      const { inboundSourceCidrs, sourceFields } = putTrunkBody.parse({
        host: 'a.example',
        inbound_source_cidrs,
      });
      expect([...sourceFields.keys()]).toEqual(inboundSourceCidrs);
      return [...sourceFields];
    };
    expect(sent(['198.41.0.4', '198.41.0.4', '10.0.0.1'])).toEqual([
      ['198.41.0.4', 'inbound_source_cidrs[0]'],
      ['10.0.0.1', 'inbound_source_cidrs[2]'],
    ]);
    expect(sent('198.41.0.4, 10.0.0.1')).toEqual([
      ['198.41.0.4', 'inbound_source_cidrs'],
      ['10.0.0.1', 'inbound_source_cidrs'],
    ]);
  });
});

describe('tech prefixes', () => {
  test('an error names inbound, outbound or redirect as a whole', () => {
    const bad = (tech_prefixes: unknown) => rejected(putTrunkBody, { ...example, tech_prefixes });
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
    for (const wrong of ['77#', 5, []]) expect(bad(wrong)).toBe('tech_prefixes');
  });

  test('are kept if omitted and removed by null', () => {
    expect(putTrunkBody.parse({ host: 'a.example' })).toHaveProperty('techPrefixes', undefined);
    expect(putTrunkBody.parse({ host: 'a.example', tech_prefixes: null })).toHaveProperty(
      'techPrefixes',
      null,
    );
  });
});

describe('destinations', () => {
  test('an error names the entry and its field', () => {
    const bad = (entry: unknown) => field({ destinations: [{ host: 'a.example' }, entry] });
    expect(bad({ host: 'b.example', port: 65_535, priority: 65_535, weight: 65_535 })).toBeNull();
    expect(bad({ host: '198.41.0.4', port: null, priority: 0, weight: 1 })).toBeNull();
    expect(bad({})).toBe('destinations[1].host');
    expect(bad({ host: 'a b' })).toBe('destinations[1].host');
    expect(bad({ host: 'b.example', port: 0 })).toBe('destinations[1].port');
    expect(bad({ host: 'b.example', priority: 65_536 })).toBe('destinations[1].priority');
    expect(bad({ host: 'b.example', weight: 0 })).toBe('destinations[1].weight');
    expect(bad('b.example')).toBe('destinations[1]');
    expect(field({ destinations: Array.from({ length: 9 }, () => ({ host: 'a.example' })) })).toBe(
      'destinations',
    );
  });

  test('come after the host of the trunk, on its port, unless they have their own', () => {
    expect(createTrunkBody.parse({ ...example, destinations: [{ host: 'b.example' }] }).destinations).toEqual(
      [{ host: 'b.example', port: null, priority: 1, weight: 1 }],
    );
  });
});

describe('carrier settings', () => {
  test('an error names the setting', () => {
    const bad = (quirks: unknown) => field({ quirks });
    expect(
      bad({
        from_domain: 'Acme.Example',
        from_user: '1234*56',
        user_phone: true,
        use_srv: false,
        hide_caller_id: null,
      }),
    ).toBeNull();
    for (const domain of ['a b', 'sip:acme.example', 'acme.example:5060', '2606:4700::1', 'x_y', 5])
      expect(bad({ from_domain: domain }), String(domain)).toBe('quirks.from_domain');
    for (const user of ['a@b', 'a b', 'a;b=c', 'a\r\nVia: x', '"', chars(65), 5])
      expect(bad({ from_user: user }), String(user)).toBe('quirks.from_user');
    for (const name of ['caller_id_plus', 'no_early_media', 'use_srv', 'national_outbound'])
      expect(bad({ [name]: 'yes' })).toBe(`quirks.${name}`);
    expect(bad([])).toBe('quirks');
  });

  test('only those that are on are stored, the domain in lowercase', () => {
    const quirks = { from_domain: 'Acme.Example', called_plus: false, no_header_extensions: true };
    expect(createTrunkBody.parse({ ...example, quirks }).quirks).toEqual({
      fromDomain: 'acme.example',
      noHeaderExtensions: true,
    });
  });
});

describe('rules between fields', () => {
  test('a host is required unless there is a template, and a national prefix requires a country code', () => {
    expect(field({ host: null })).toBe('host');
    expect(field({ host: null, template_id: 2 })).toBeNull();
    expect(field({ country_code: null })).toBe('national_prefix');
  });

  test('encrypted audio requires TLS', () => {
    expect(field({ srtp: true })).toBe('srtp');
    expect(field({ srtp: true, transport: 'tcp' })).toBe('srtp');
    expect(field({ srtp: true, transport: 'tls' })).toBeNull();
    // The template's transport may be TLS.
    expect(field({ srtp: true, template_id: 2 })).toBeNull();
  });

  test('national numbers require a country code', () => {
    const quirks = { national_outbound: true };
    expect(field({ quirks })).toBeNull();
    expect(field({ quirks, country_code: null, national_prefix: null })).toBe('quirks.national_outbound');
  });

  test('a trunk that follows a template has one, and no addresses of its own', () => {
    expect(field({ follow_template: true })).toBe('follow_template');
    expect(field({ follow_template: true, template_id: 2 })).toBe('follow_template');
    expect(field({ follow_template: true, template_id: 2, inbound_source_cidrs: null })).toBeNull();
  });

  test('a password without a username is ignored', () => {
    expect(putTrunkBody.parse({ host: 'a.example', password: 'p' })).toHaveProperty('credentials', null);
    expect(putTrunkBody.parse({ host: 'a.example', username: 'u' })).toHaveProperty('credentials', {
      username: 'u',
      password: null,
    });
  });

  test('without a template, omitted settings have their defaults', () => {
    expect(putTrunkBody.parse({ host: 'a.example' })).toMatchObject({
      port: 5060,
      transport: 'UDP',
      codecs: null,
      destinations: [],
      register: false,
      srtp: false,
      quirks: {},
      maxCalls: null,
      callsPerSecond: null,
      credentials: null,
    });
    expect(putTrunkBody.parse({ template_id: 2 })).toMatchObject({
      host: null,
      port: null,
      transport: null,
      destinations: null,
      register: null,
      srtp: null,
      quirks: null,
    });
  });
});

test('the status and the filters of numbers are case-insensitive', () => {
  expect(putTrunkStatusBody.parse({ status: 'active' })).toEqual({ status: 'ACTIVE' });
  for (const status of ['DRAFT', null]) expect(putTrunkStatusBody.safeParse({ status }).success).toBe(false);
  expect(listNumbersQuery.parse({ status: 'released' })).toEqual({ status: 'RELEASED', tenantRef: null });
  expect(listNumbersQuery.safeParse({ status: 'LOST' }).success).toBe(false);
  expect(listNumbersQuery.safeParse({ tenant_ref: chars(192) }).success).toBe(false);
});

test('a backup trunk is another trunk, and of a SIP line', () => {
  const line = { type: 'SIP', address: '+442071838750', sip_trunk_id: 1 };
  const bad = (change: object) => rejected(putChannelBody, { ...line, ...change });
  expect(bad({ backup_sip_trunk_id: 2 })).toBeNull();
  expect(bad({ backup_sip_trunk_id: null })).toBeNull();
  expect(bad({ backup_sip_trunk_id: 1 })).toBe('backup_sip_trunk_id');
  expect(bad({ backup_sip_trunk_id: 'b' })).toBe('backup_sip_trunk_id');
  const whatsApp = { type: 'WHATSAPP', provider_account_id: '1', sip_trunk_id: null };
  expect(bad({ ...whatsApp, backup_sip_trunk_id: 2 })).toBe('backup_sip_trunk_id');
});

test('least-cost routing requires a backup trunk, and the margin guard a SIP line', () => {
  const line = { type: 'SIP', address: '+442071838750', sip_trunk_id: 1 };
  const bad = (change: object) => rejected(putChannelBody, { ...line, ...change });
  expect(putChannelBody.parse(line)).toMatchObject({ leastCostRouting: false, marginGuard: false });
  expect(bad({ backup_sip_trunk_id: 2, least_cost_routing: true, margin_guard: true })).toBeNull();
  expect(bad({ least_cost_routing: true })).toBe('least_cost_routing');
  expect(bad({ least_cost_routing: null, margin_guard: null })).toBeNull();
  expect(bad({ least_cost_routing: 'yes', backup_sip_trunk_id: 2 })).toBe('least_cost_routing');
  expect(bad({ margin_guard: true })).toBeNull();
  const whatsApp = { type: 'WHATSAPP', provider_account_id: '1', sip_trunk_id: null };
  expect(bad({ ...whatsApp, margin_guard: true })).toBe('margin_guard');
  expect(bad({ ...whatsApp, least_cost_routing: true })).toBe('least_cost_routing');
});
