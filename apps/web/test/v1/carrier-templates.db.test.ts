/** Carrier templates: what a trunk takes from one, and trunks that follow the addresses of one. */
import { createTemplate, deleteTemplate, setTemplate } from '@clarion/core/trunk/carrier-templates';
import type { NewTemplate } from '@clarion/core/trunk/carrier-templates';
import { moveTrunk } from '@clarion/core/trunk/trunk-moves';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchedSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

let web: Web;
let key: string;
let templateId: number;

const settings: NewTemplate = {
  name: 'Carrier UK',
  host: 'sip.carrier.example',
  port: 5061,
  transport: 'TLS',
  inboundSourceCidrs: ['198.41.0.4', '198.41.0.64/28'],
  numberRules: { countryCode: '44', nationalPrefix: '0' },
  codecs: ['PCMU'],
  destinations: [{ host: 'sip2.carrier.example', port: 5061, priority: 1, weight: 1 }],
  register: false,
  srtp: true,
  quirks: { calledPlus: true },
  notes: 'Ask them to allow your numbers as caller ID.',
};

beforeAll(async () => {
  web = await startWeb();
  web.runtime.settings.resolve = async () => ['198.41.0.4'];
  key = (await createTenantFixture(web, 'acme')).key;
  await web.consumer('other');
});
afterAll(() => web.stop());
beforeEach(async () => {
  const { db } = web.runtime;
  await db.sipTrunk.deleteMany({ where: { consumerId: { not: null } } });
  await db.carrierTemplate.deleteMany({});
  ({ id: templateId } = await createTemplate(web.operator, settings));
});

const post = (body: Record<string, unknown>) =>
  call('createTrunk', { key, body: { name: 'uk', template_id: templateId, ...body } });
const created = async (body: Record<string, unknown> = {}) => (await post(body)).json.trunk;
const put = (trunkId: number, body: Record<string, unknown>) =>
  call('putTrunk', { key, path: { trunkId }, body });
const get = async (trunkId: number) => (await call('getTrunk', { key, path: { trunkId } })).json.trunk;
const live = async (body: Record<string, unknown> = {}) => {
  const { id } = await created(body);
  await call('submitTrunk', { key, path: { trunkId: id } });
  await moveTrunk(web.operator, id, 'approve', null);
  return id;
};

const ofTemplate = {
  host: 'sip.carrier.example',
  port: 5061,
  transport: 'TLS',
  inboundSourceCidrs: ['198.41.0.4', '198.41.0.64/28'],
  numberRules: { country_code: '44', national_prefix: '0' },
  codecs: ['PCMU'],
  destinations: [{ host: 'sip2.carrier.example', port: 5061, priority: 1, weight: 1 }],
  register: false,
  srtp: true,
  quirks: { calledPlus: true },
};

test('templates are listed by name, but not to a person of one tenant', async () => {
  await createTemplate(web.operator, {
    ...settings,
    name: 'Another',
    notes: null,
    numberRules: null,
    codecs: [],
  });
  const { templates } = (await call('listCarrierTemplates', { key })).json;
  expect(templates.map(({ name }) => name)).toEqual(['Another', 'Carrier UK']);
  expect(templates[1]).toEqual({
    id: templateId,
    name: 'Carrier UK',
    ...ofTemplate,
    notes: 'Ask them to allow your numbers as caller ID.',
  });
  expect(templates[0]).toMatchObject({ numberRules: null, codecs: null, notes: null });
  const launched = await launchedSession(web, 'acme', 'shop', 'ADMIN');
  expectError(await call('listCarrierTemplates', launched), 403, 'forbidden');
});

describe('a trunk created from a template', () => {
  test('takes what the body omits, and follows the addresses', async () => {
    expect(await created()).toMatchObject({ ...ofTemplate, templateId, followTemplate: true });
  });

  test('keeps what the body gives', async () => {
    expect(
      await created({
        host: 'sip3.carrier.example',
        transport: 'UDP',
        srtp: false,
        country_code: '1',
        quirks: {},
        destinations: [],
        codecs: ['PCMA'],
        inbound_source_cidrs: '198.41.9.9',
      }),
    ).toMatchObject({
      host: 'sip3.carrier.example',
      port: 5061,
      transport: 'UDP',
      srtp: false,
      numberRules: { country_code: '1' },
      quirks: {},
      destinations: [],
      codecs: ['PCMA'],
      inboundSourceCidrs: ['198.41.9.9'],
      templateId,
      followTemplate: false,
    });
  });

  test('can copy the addresses without following them', async () => {
    expect(await created({ follow_template: false })).toMatchObject({
      inboundSourceCidrs: settings.inboundSourceCidrs,
      followTemplate: false,
    });
  });

  test('is checked with the settings of both', async () => {
    // Encrypted audio of the template, but another transport.
    expectError(await post({ transport: 'UDP' }), 400, 'invalid_request', 'srtp');
    expectError(await post({ register: true }), 400, 'invalid_request', 'register');
    await setTemplate(web.operator, templateId, { countryCode: null });
    expectError(await post({ national_prefix: '0' }), 400, 'invalid_request', 'national_prefix');
    expectError(
      await post({ quirks: { national_outbound: true } }),
      400,
      'invalid_request',
      'quirks.national_outbound',
    );
  });

  test('cannot follow with addresses of its own, or without a template', async () => {
    expectError(
      await post({ follow_template: true, inbound_source_cidrs: '198.41.9.9' }),
      400,
      'invalid_request',
      'follow_template',
    );
    expectError(
      await post({ follow_template: true, template_id: null, host: 'sip.carrier.example' }),
      400,
      'invalid_request',
      'follow_template',
    );
    expectError(await post({ template_id: 999_999 }), 400, 'invalid_request', 'template_id');
  });

  test('may not lead into our own network, even if the template does', async () => {
    await setTemplate(web.operator, templateId, { host: '10.0.0.5' });
    expectError(await post({}), 400, 'invalid_request', 'host');
  });
});

describe('a PUT', () => {
  test('without template_id replaces: the template is gone and a host is required', async () => {
    const { id } = await created();
    expectError(await put(id, {}), 400, 'invalid_request', 'host');
    expect((await put(id, { host: 'sip.carrier.example' })).json.trunk).toMatchObject({
      port: 5060,
      transport: 'UDP',
      inboundSourceCidrs: [],
      templateId: null,
      followTemplate: false,
    });
  });

  test('with addresses of its own stops following; follow_template true follows again', async () => {
    const { id } = await created();
    const own = (await put(id, { template_id: templateId, inbound_source_cidrs: '198.41.9.9' })).json.trunk;
    expect(own).toMatchObject({ inboundSourceCidrs: ['198.41.9.9'], templateId, followTemplate: false });
    const again = (await put(id, { template_id: templateId, follow_template: true })).json.trunk;
    expect(again).toMatchObject({ inboundSourceCidrs: settings.inboundSourceCidrs, followTemplate: true });
    expectError(await put(id, { template_id: 999_999 }), 400, 'invalid_request', 'template_id');
  });
});

describe('a changed template', () => {
  test('copies its addresses, and nothing else, to the trunks that follow it, without a review', async () => {
    const id = await live();
    const { id: copy } = await created({ name: 'copy', follow_template: false });
    const change = { inboundSourceCidrs: ['198.41.5.5'], host: 'sip9.carrier.example' };
    const { followers } = await setTemplate(web.operator, templateId, change);
    expect(followers.map((trunk) => trunk.id)).toEqual([id]);
    expect(await get(id)).toMatchObject({
      status: 'ACTIVE',
      host: 'sip.carrier.example',
      inboundSourceCidrs: ['198.41.5.5'],
    });
    expect(await get(copy)).toMatchObject({ inboundSourceCidrs: settings.inboundSourceCidrs });
    const sources = await web.runtime.db.$queryRaw<{ network: string }[]>`
      select "network"::text from "SipTrunkSource" where "trunkId" = ${id}`;
    expect(sources).toEqual([{ network: '198.41.5.5/32' }]);
    // The account sees it in its log, and the operator's list does not count it as a change of the owner.
    const { entries } = (await call('listAuditLog', { key, query: 'action=trunk.follow_template' })).json;
    expect(entries[0]).toMatchObject({
      target: String(id),
      details: { template: 'Carrier UK', inboundSourceCidrs: '198.41.5.5' },
    });
    const row = await web.runtime.db.sipTrunk.findUniqueOrThrow({ where: { id } });
    expect(row.updatedAt).toEqual(row.reviewedAt);
  });

  test('cannot lose all addresses while submitted trunks follow it', async () => {
    const { id: draft } = await created();
    await setTemplate(web.operator, templateId, { inboundSourceCidrs: [] });
    expect(await get(draft)).toMatchObject({ inboundSourceCidrs: [] });
    expectError(await call('submitTrunk', { key, path: { trunkId: draft } }), 409, 'no_addresses');
    await setTemplate(web.operator, templateId, { inboundSourceCidrs: ['198.41.0.4'] });
    await call('submitTrunk', { key, path: { trunkId: draft } });
    await expect(setTemplate(web.operator, templateId, { inboundSourceCidrs: [] })).rejects.toMatchObject({
      code: 'in_use',
      details: { usedBy: [`trunk:${draft} (uk)`] },
    });
    expect(await get(draft)).toMatchObject({ inboundSourceCidrs: ['198.41.0.4'] });
  });

  test('reaches a trunk that is created from it at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const source = `198.41.6.${round}`;
      const [trunk] = await Promise.all([
        created({ name: `race-${round}` }),
        setTemplate(web.operator, templateId, { inboundSourceCidrs: [source] }),
      ]);
      expect(await get(trunk.id)).toMatchObject({ inboundSourceCidrs: [source] });
    }
  });

  test('leaves the second owner of the same addresses to its ingress host', async () => {
    const id = await live();
    await web.runtime.db.sipTrunk.create({
      data: {
        name: 'theirs',
        ingressLabel: 'theirs',
        host: 'h.example',
        status: 'ACTIVE',
        inboundSourceCidrs: ['198.41.8.8'],
      },
    });
    await setTemplate(web.operator, templateId, { inboundSourceCidrs: ['198.41.8.8'] });
    expect(await get(id)).toMatchObject({ ingressHostOnly: true });
  });

  test('is not deleted while trunks follow it; others keep what they took', async () => {
    const { id } = await created();
    await expect(deleteTemplate(web.operator, templateId)).rejects.toMatchObject({ code: 'in_use' });
    await put(id, { template_id: templateId, inbound_source_cidrs: '198.41.9.9' });
    await deleteTemplate(web.operator, templateId);
    expect(await get(id)).toMatchObject({ host: 'sip.carrier.example', templateId: null });
    await expect(deleteTemplate(web.operator, templateId)).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('changes of templates are recorded for the operator only', async () => {
  await setTemplate(web.operator, templateId, { notes: null });
  const rows = await web.runtime.db.auditEntry.findMany({
    where: { action: { startsWith: 'template.' }, target: String(templateId) },
    orderBy: { id: 'asc' },
  });
  expect(rows.map(({ action, consumerId }) => [action, consumerId])).toEqual([
    ['template.create', null],
    ['template.set', null],
  ]);
  expect((await call('listAuditLog', { key, query: 'action=template' })).json.entries).toEqual([]);
});
