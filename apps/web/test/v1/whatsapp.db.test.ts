import { createHmac, randomBytes } from 'node:crypto';
import { purgeWhatsAppEvents } from '@clarion/core/whatsapp/purge-events';
import { listen } from '@clarion/db';
import { storedWhatsAppCall } from '@clarion/protocol/v1/tenant/whatsapp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GET, POST } from '../../app/webhooks/whatsapp/route.ts';
import { call, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

const APP_SECRET = 'the-app-secret';
const VERIFY_TOKEN = 'the-verify-token';

let web: Web;
let acme: string;
let rival: string;
let lines: { acme: number; rival: number };
beforeAll(async () => {
  web = await startWeb({
    CLARION_WHATSAPP_APP_SECRET: APP_SECRET,
    CLARION_WHATSAPP_VERIFY_TOKEN: VERIFY_TOKEN,
  });
  acme = (await createTenantFixture(web, 'acme')).key;
  rival = (await createTenantFixture(web, 'rival')).key;
  const line = async (key: string, address: string, account: string) =>
    (
      await call('putChannel', {
        key,
        path: { tenantRef: 'shop', channelRef: 'wa' },
        body: { type: 'WHATSAPP', address, provider_account_id: account },
      })
    ).json.channel.id;
  lines = {
    acme: await line(acme, '+447700900001', '1001'),
    rival: await line(rival, '+447700900002', '1002'),
  };
});
afterAll(() => web.stop());
beforeEach(() => web.runtime.db.whatsAppEvent.deleteMany());

const connect = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  from: '12185552828',
  to: '447700900001',
  event: 'connect',
  timestamp: '1767603600',
  direction: 'USER_INITIATED',
  session: { sdp_type: 'offer', sdp: 'v=0\r\n' },
  ...more,
});
const change = (phone_number_id: unknown, ...calls: unknown[]) => ({
  field: 'calls',
  value: { messaging_product: 'whatsapp', metadata: { phone_number_id }, calls },
});
const message = (phone_number_id: string) => ({
  field: 'messages',
  value: { metadata: { phone_number_id }, messages: [{ from: '1', text: { body: 'private words' } }] },
});
const webhook = (...changes: unknown[]) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '1', changes }],
});
const forward = (body: unknown, key = acme, headers: Record<string, string> = {}) =>
  call('forwardWhatsApp', { key, body, headers });
const stored = () => web.runtime.db.whatsAppEvent.findMany({ orderBy: { id: 'asc' } });

describe('POST /v1/webhooks/whatsapp/forward', () => {
  test('stores only the calls of the consumer’s own lines', async () => {
    const answer = await forward(
      webhook(
        message('1001'),
        change('1001', connect('wacid.A')),
        change('1002', connect('wacid.B')),
        change('9999', connect('wacid.C')),
        change(1001, connect('wacid.D')),
      ),
    );
    expect([answer.status, answer.text]).toEqual([200, '']);
    const rows = await stored();
    expect(rows.map(({ whatsAppCallId, channelId }) => [whatsAppCallId, channelId])).toEqual([
      ['wacid.A', lines.acme],
      ['wacid.D', lines.acme],
    ]);
    expect(rows[0]).toMatchObject({
      type: 'connect',
      customerAddress: '+12185552828',
      occurredAt: new Date('2026-01-05T09:00:00Z'),
    });
    expect(storedWhatsAppCall.parse(rows[0]?.payload)).toMatchObject({
      id: 'wacid.A',
      direction: 'USER_INITIATED',
      sdp: { type: 'offer', text: 'v=0\r\n' },
    });
    expect(JSON.stringify(rows.map(({ payload }) => payload))).not.toContain('private words');
  });

  test('JSON of any shape is accepted', async () => {
    for (const body of [
      {},
      '[]',
      'null',
      '"text"',
      '7',
      { entry: null },
      { entry: [[[[]]]] },
      { object: 'page', entry: [{ messaging: [] }] },
      webhook(message('1001')),
      webhook(change({ $gt: '' }, connect('x'))),
      webhook(change('1001', connect('wacid.\0\0'), { id: 'b', event: '\ud800' }, null, 'calls')),
      '{"__proto__":{"entry":[]},"entry":{"length":5}}',
      `{"entry":${'['.repeat(98)}${']'.repeat(98)}}`,
    ]) {
      expect((await forward(body)).status).toBe(200);
    }
    expect((await stored()).map(({ whatsAppCallId }) => whatsAppCallId)).toEqual(['wacid.']);
  });

  test('a body that is not JSON or too large is rejected with a bare status', async () => {
    const refused = async (...request: Parameters<typeof forward>) => {
      const { status, text } = await forward(...request);
      expect(text).toBe('');
      return status;
    };
    for (const body of ['', '{"entry":', 'entry=1', `${'['.repeat(200_000)}${']'.repeat(200_000)}`])
      expect(await refused(body)).toBe(400);
    // The second time it is the stored response.
    for (let time = 0; time < 2; time += 1)
      expect(await refused('{', acme, { 'idempotency-key': 'not-json' })).toBe(400);
    expect(await refused(`{"x":"${'x'.repeat(10 * 1024 * 1024)}"}`)).toBe(413);
    expect(await refused(webhook(), 'ck_acme_nonsense')).toBe(401);
    expect(await stored()).toEqual([]);
  });

  test('repeats are stored once, also concurrently and over both endpoints', async () => {
    const body = webhook(change('1001', connect('wacid.R1'), connect('wacid.R2'), connect('wacid.R1')));
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, () => forward(body)),
      ...Array.from({ length: 8 }, () => deliver(body)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await stored()).map(({ whatsAppCallId }) => whatsAppCallId).toSorted()).toEqual([
      'wacid.R1',
      'wacid.R2',
    ]);
    await forward(body, acme, { 'idempotency-key': 'forwarded-once' });
    await forward(body, acme, { 'idempotency-key': 'forwarded-once' });
    expect(await stored()).toHaveLength(2);
  });

  test('if a line is deleted in the meantime, its event is dropped and the request succeeds', async () => {
    const path = { tenantRef: 'shop', channelRef: 'brief' };
    for (let round = 0; round < 5; round += 1) {
      const body = { type: 'WHATSAPP', address: '+447700900009', provider_account_id: '1009' };
      await call('putChannel', { key: acme, path, body });
      const [forwarded, deleted] = await Promise.all([
        forward(webhook(change('1009', connect(`wacid.X${round}`)))),
        call('deleteChannel', { key: acme, path }),
      ]);
      expect([forwarded.status, deleted.status]).toEqual([200, 204]);
    }
    expect(await stored()).toEqual([]);
  });

  test('the engine is notified of each new event', async () => {
    const heard: string[] = [];
    const listener = listen(web.runtime.env.DATABASE_URL, { clarion_whatsapp: (id) => void heard.push(id) });
    await listener.ready;
    try {
      const body = webhook(change('1001', connect('wacid.N1'), connect('wacid.N2')));
      await forward(body);
      await forward(body);
      await forward(webhook(change('1001', connect('wacid.N3'))));
      const ids = (await stored()).map(({ id }) => String(id));
      await expect.poll(() => heard).toEqual(ids);
      expect(ids).toHaveLength(3);
    } finally {
      await listener.stop();
    }
  });

  test('is stored for a week, during which a repeat is not new', async () => {
    const body = webhook(change('1001', connect('wacid.W')));
    const at = (days: number) => new Date(Date.now() + days * 24 * 60 * 60_000);
    await forward(body);
    await purgeWhatsAppEvents(web.runtime.db, at(6.9));
    await forward(body);
    expect(await stored()).toHaveLength(1);
    await purgeWhatsAppEvents(web.runtime.db, at(7.1));
    expect(await stored()).toEqual([]);
  });

  test('a SIP line with the same account ID is not used', async () => {
    const trunk = await web.runtime.db.sipTrunk.findFirstOrThrow();
    const path = { tenantRef: 'shop', channelRef: 'sip' };
    const body = {
      type: 'SIP',
      address: '+442071838777',
      sip_trunk_id: trunk.id,
      provider_account_id: '1010',
    };
    expect((await call('putChannel', { key: acme, path, body })).status).toBe(200);
    await forward(webhook(change('1010', connect('wacid.S'))));
    expect(await stored()).toEqual([]);
  });
});

const url = 'http://localhost/webhooks/whatsapp';
const sign = (body: string | Uint8Array, secret = APP_SECRET) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const post = (body: string | Uint8Array<ArrayBuffer>, signature: string | null) =>
  POST(
    new Request(url, {
      method: 'POST',
      body,
      headers: signature === null ? {} : { 'x-hub-signature-256': signature },
    }),
  );
const deliver = (body: unknown) => {
  const text = JSON.stringify(body);
  return post(text, sign(text));
};

describe('/webhooks/whatsapp', () => {
  test('a signed request is stored for lines of any consumer, with a bare status as the response', async () => {
    const answer = await deliver(
      webhook(change('1001', connect('wacid.A')), change('1002', connect('wacid.B'))),
    );
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect((await stored()).map(({ channelId }) => channelId)).toEqual([lines.acme, lines.rival]);
  });

  test('the signature is checked over the raw bytes', async () => {
    const spaced = `  ${JSON.stringify(webhook(change('1001', connect('wacid.é'))), null, 2)}\r\n`;
    expect((await post(spaced, sign(spaced))).status).toBe(200);
    expect((await post(spaced, sign(spaced).toUpperCase().replace('SHA256', 'sha256'))).status).toBe(200);
    expect(await stored()).toHaveLength(1);
  });

  test('a request without a valid signature is 401', async () => {
    const text = JSON.stringify(webhook(change('1001', connect('wacid.F'))));
    for (const signature of [
      null,
      '',
      'sha256=',
      sign(text).slice(0, -2),
      sign(text).replace('sha256=', ''),
      sign(text).replace('sha256', 'sha1'),
      sign(`${text} `),
      sign(text, 'another-secret'),
      sign(text, ''),
      `${sign(text)}00`,
      `sha256=${'é'.repeat(64)}`.replaceAll('é', 'z'),
      `sha256=${'0'.repeat(64)}`,
    ]) {
      const answer = await post(text, signature);
      expect([answer.status, await answer.text()], String(signature)).toEqual([401, '']);
    }
    for (let round = 0; round < 200; round += 1) {
      expect((await post(text, `sha256=${randomBytes(32).toString('hex')}`)).status).toBe(401);
    }
    expect(await stored()).toEqual([]);
  });

  test('a signed body that is not JSON is 400, a too large one 413, an unknown one 200', async () => {
    for (const [body, status] of [
      ['{', 400],
      [new Uint8Array([0xff, 0xfe]), 400],
      ['['.repeat(200_000), 400],
      ['x'.repeat(10 * 1024 * 1024 + 1), 413],
      ['[]', 200],
      ['null', 200],
      ['"text"', 200],
      [JSON.stringify(webhook(message('1001'))), 200],
    ] as const) {
      const answer = await post(body, sign(body));
      expect([answer.status, await answer.text()]).toEqual([status, '']);
    }
    expect(await stored()).toEqual([]);
  });

  test('only the verify token verifies the URL', async () => {
    const get = (query: string) => GET(new Request(`${url}?${query}`));
    const proven = await get(`hub.mode=subscribe&hub.verify_token=${VERIFY_TOKEN}&hub.challenge=1158201444`);
    expect([proven.status, await proven.text()]).toEqual([200, '1158201444']);
    expect(proven.headers.get('content-type')).toMatch(/^text\/plain/);
    for (const query of [
      '',
      `hub.mode=subscribe&hub.challenge=1`,
      `hub.mode=subscribe&hub.verify_token=&hub.challenge=1`,
      `hub.mode=subscribe&hub.verify_token=${VERIFY_TOKEN}x&hub.challenge=1`,
      `hub.mode=unsubscribe&hub.verify_token=${VERIFY_TOKEN}&hub.challenge=1`,
      `hub.verify_token=${VERIFY_TOKEN}&hub.challenge=1`,
      `hub.mode=subscribe&hub.verify_token=${VERIFY_TOKEN}`,
      `hub.mode=subscribe&hub.verify_token=${VERIFY_TOKEN}&hub.challenge=${'1'.repeat(257)}`,
    ]) {
      const refused = await get(query);
      expect([refused.status, await refused.text()], query).toEqual([403, '']);
    }
  });
});

test('without both settings direct ingress is 404 not_enabled, in the standard error format', async () => {
  for (const settings of [
    {},
    { CLARION_WHATSAPP_APP_SECRET: APP_SECRET },
    { CLARION_WHATSAPP_VERIFY_TOKEN: 'v' },
  ]) {
    const other = await startWeb(settings);
    try {
      for (const answer of [
        await deliver(webhook(change('1001', connect('wacid.A')))),
        await GET(new Request(`${url}?hub.mode=subscribe&hub.verify_token=&hub.challenge=1`)),
      ]) {
        expect([answer.status, await answer.json()]).toEqual([
          404,
          { error: { code: 'not_enabled', message: 'Direct WhatsApp ingress is not configured.' } },
        ]);
      }
    } finally {
      await other.stop();
    }
  }
});
