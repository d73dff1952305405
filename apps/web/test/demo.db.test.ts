import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyAgentToken } from '@clarion/core/agent/verify-agent-token';
import { afterEach, expect, test } from 'vitest';
import { cliEnv } from '../../cli/src/__fixtures__/operator-fixture.ts';
import { seedDemo } from '../../cli/src/demo-account/make-demo.ts';
import { POST as placeCall } from '../app/demo/call/route.ts';
import DemoLayout from '../app/demo/layout.tsx';
import { GET as getToken } from '../app/demo/token/route.ts';
import { startWeb } from './support.ts';
import type { Web } from './support.ts';

let web: Web;
afterEach(() => web.stop());

const base = 'http://127.0.0.1:3999';
const token = (query = '', headers: Record<string, string> = {}) =>
  getToken(new Request(`${base}/demo/token${query}`, { headers: { host: '127.0.0.1:3999', ...headers } }));
const dial = (body: unknown, headers: Record<string, string> = {}) =>
  placeCall(
    new Request(`${base}/demo/call`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { host: '127.0.0.1:3999', ...headers },
    }),
  );

async function start(settings: Record<string, string>): Promise<void> {
  web = await startWeb(settings);
  const dir = mkdtempSync(join(tmpdir(), 'clarion-demo-'));
  try {
    await seedDemo(web.operator, cliEnv(dir, { baseUrl: base }));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

test('the demo page can get a token for its agent and place calls', async () => {
  await start({ CLARION_DEMO: '1' });
  expect(DemoLayout({ children: 'the phone' })).toBe('the phone');
  const answer = await (await token('?agent=ben')).json();
  expect(answer).toMatchObject({ baseUrl: base, agentRef: 'ben' });
  const { db, secrets } = web.runtime;
  const verified = await verifyAgentToken(
    answer.token,
    async (slug, kid) => {
      const key = await db.signingKey.findFirstOrThrow({ where: { kid, consumer: { slug } } });
      return { ...key, secret: secrets.open('signing-key', key.secretSealed) };
    },
    new Date(),
  );
  expect(verified).toMatchObject({ tenantRef: 'demo', agentRef: 'ben', name: 'Ben', role: 'AGENT' });

  const { callId } = await (await dial({ channel_ref: 'ada', to: '+442079460123' })).json();
  expect(await db.call.findUnique({ where: { id: callId } })).toMatchObject({
    agentRef: 'ada',
    channelRef: 'ada',
  });
  expect((await dial({ channel_ref: 'ada', to: '+442079460123', agent_ref: 'ben' })).status).toBe(403);
  expect((await dial({ channel_ref: 'support', to: '999' })).status).toBe(403);
  expect((await dial({ channel_ref: 'support' })).status).toBe(400);
  expect((await token('?agent=eve')).status).toBe(400);
});

test("another site's page gets a 404", async () => {
  await start({ CLARION_DEMO: '1' });
  expect((await token('', { 'sec-fetch-site': 'cross-site' })).status).toBe(404);
  expect(
    (await dial({ channel_ref: 'ada', to: '+442079460123' }, { 'sec-fetch-site': 'cross-site' })).status,
  ).toBe(404);
  expect((await token('', { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
});

test('a site whose name resolves to this machine gets no token and places no call', async () => {
  await start({ CLARION_DEMO: '1', CLARION_BASE_URL: 'https://calls.example.com' });
  const rebound = [
    'evil.example:3999',
    '127.0.0.1.evil.example:3999',
    'localhost.evil.example',
    'calls.example.com.evil.example',
    '',
  ];
  for (const host of rebound) {
    // For the browser this request is same-origin.
    const headers = { host, 'sec-fetch-site': 'same-origin' };
    const [asked, dialled] = [
      await token('', headers),
      await dial({ channel_ref: 'ada', to: '+442079460123' }, headers),
    ];
    expect([host, asked.status, dialled.status]).toEqual([host, 403, 403]);
    expect(await asked.text()).toContain('https://calls.example.com/demo');
  }
  for (const host of ['127.0.0.1:3999', 'localhost:8080', '[::1]:3999', 'calls.example.com']) {
    expect([host, (await token('', { host })).status]).toEqual([host, 200]);
  }
});

test('without CLARION_DEMO there is no demo page, even if the account exists', async () => {
  await start({});
  expect(() => DemoLayout({ children: 'the phone' })).toThrow(/404/);
  expect((await token()).status).toBe(404);
  expect((await dial({ channel_ref: 'ada', to: '+442079460123' })).status).toBe(404);
});
