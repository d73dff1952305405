import { createTrunkBody, putTrunkBody } from '@clarion/protocol/v1/tenant/trunk-body';
import { expect, test } from 'vitest';
import type { OwnTrunk } from '../edit/resources.ts';
import {
  bodyWithSource,
  createBodyOf,
  draftOf,
  emptyDraft,
  putBodyOf,
  withTemplate,
  type CarrierTemplate,
} from './trunk-draft.ts';

const settings = {
  host: 'sip.carrier.example',
  port: 5061,
  transport: 'TLS' as const,
  inboundSourceCidrs: ['198.41.0.4', '198.41.0.64/28'],
  numberRules: { country_code: '44', national_prefix: '0' },
  codecs: ['G722', 'PCMA'],
  destinations: [{ host: 'sip2.carrier.example', port: 5062, priority: 2, weight: 3 }],
  register: false,
  srtp: true,
  quirks: { calledPlus: true, fromDomain: 'carrier.example', useSrv: true },
};
const trunk: OwnTrunk = {
  ...settings,
  id: 7,
  name: 'carrier-uk',
  owner: 'CONSUMER',
  status: 'ACTIVE',
  ingressHost: null,
  ingressHostOnly: false,
  techPrefixes: { inbound: [{ prefix: '77#', purpose: 'PROCESS' }], outbound: '88' },
  maxCalls: 50,
  callsPerSecond: 5,
  hasCredentials: true,
  reviewNote: null,
  submittedAt: null,
  reviewedAt: null,
  createdAt: '2026-01-05T09:00:00.000Z',
  buyDeckId: null,
  inboundBuyDeckId: null,
  templateId: null,
  followTemplate: false,
  registration: null,
  up: null,
};
const template: CarrierTemplate = { ...settings, id: 2, name: 'Carrier UK', notes: null };

/** As the service reads it, without what only its errors need. */
function readPut(body: Parameters<typeof putTrunkBody.parse>[0]) {
  const { sourceFields: _, ...read } = putTrunkBody.parse(body);
  return read;
}

test('saving a trunk without a change sends every setting as it is, and keeps the credentials', () => {
  expect(readPut(putBodyOf(draftOf(trunk), true))).toEqual({
    host: trunk.host,
    port: trunk.port,
    transport: 'TLS',
    inboundSourceCidrs: trunk.inboundSourceCidrs,
    countryCode: '44',
    nationalPrefix: '0',
    techPrefixes: trunk.techPrefixes,
    codecs: trunk.codecs,
    destinations: trunk.destinations,
    register: false,
    srtp: true,
    quirks: trunk.quirks,
    maxCalls: 50,
    callsPerSecond: 5,
    credentials: null,
    clearCredentials: false,
    templateId: null,
    followTemplate: null,
  });
});

test('a trunk that the carrier knows by its address loses its credentials', () => {
  const draft = { ...draftOf(trunk), authentication: 'address' as const, username: 'typed before' };
  const body = putTrunkBody.parse(putBodyOf(draft, true));
  expect(body).toMatchObject({ clearCredentials: true, credentials: null, register: false });
});

test('credentials are needed where none are stored, and a registering trunk sends them', () => {
  const draft = { ...draftOf(trunk), authentication: 'register' as const };
  expect(putBodyOf(draft, true)).not.toHaveProperty('username');
  expect(() => putBodyOf(draft, false)).toThrow(
    expect.objectContaining({ details: { field: 'username' } }) as Error,
  );
  const filled = { ...draft, username: ' acme ', password: ' a b ' };
  expect(putBodyOf(filled, false)).toMatchObject({ username: 'acme', password: ' a b ', register: true });
});

test('source addresses may be pasted with commas, spaces and lines', () => {
  const draft = {
    ...emptyDraft,
    name: 'x',
    host: 'a.example',
    sources: ' 198.41.0.4,198.41.0.5\n198.41.0.6; 198.41.0.4 ',
  };
  expect(createTrunkBody.parse(createBodyOf(draft)).inboundSourceCidrs).toEqual([
    '198.41.0.4',
    '198.41.0.5',
    '198.41.0.6',
  ]);
});

test('a trunk of a template follows its addresses until others are entered', () => {
  const taken = withTemplate({ ...emptyDraft, name: 'mine', username: 'acme' }, template);
  expect(taken).toMatchObject({ name: 'mine', username: 'acme', host: template.host, followTemplate: true });
  expect(createTrunkBody.parse(createBodyOf(taken))).toMatchObject({
    templateId: 2,
    followTemplate: true,
    inboundSourceCidrs: null,
  });
  const own = createTrunkBody.parse(createBodyOf({ ...taken, followTemplate: false, sources: '198.41.0.9' }));
  expect(own).toMatchObject({ templateId: 2, followTemplate: false, inboundSourceCidrs: ['198.41.0.9'] });
  expect(withTemplate(taken, null)).toEqual({ ...emptyDraft, name: 'mine', username: 'acme' });
});

test('adding one source address changes nothing else', () => {
  const before = readPut(putBodyOf(draftOf(trunk), true));
  expect(readPut(bodyWithSource(trunk, '203.0.113.7'))).toEqual({
    ...before,
    inboundSourceCidrs: [...trunk.inboundSourceCidrs, '203.0.113.7'],
  });
  const following = { ...trunk, templateId: 2, followTemplate: true };
  expect(readPut(bodyWithSource(following, '203.0.113.7'))).toMatchObject({
    followTemplate: false,
    inboundSourceCidrs: [...trunk.inboundSourceCidrs, '203.0.113.7'],
  });
});
