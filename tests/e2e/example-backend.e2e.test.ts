/** The example backend as a new user runs it: copied out, installed with the SDK from the service, started and used. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { TestStack } from '@clarion/testkit/stack/stack';
import { newNumber } from '@clarion/testkit/stack/call-centre';
import { freePort } from '@clarion/devkit/settings/free-port';

const run = promisify(execFile);
const source = resolve(import.meta.dirname, '../../examples/backend');
const START_MS = 15_000;
const CUSTOMER = '+442079460999';
const number = newNumber();
let t: TestStack;
let folder: string;
let url: string;
let example: ChildProcess;
let output = '';

beforeAll(async () => {
  t = await TestStack.share();
  folder = await mkdtemp(join(tmpdir(), 'clarion-example-'));
  await cp(source, folder, { recursive: true, filter: (file) => !/node_modules|webhook-secret/.test(file) });
  // An unreachable registry: everything that is needed comes from the service.
  const flags = ['--registry=http://127.0.0.1:1', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...flags, `${t.baseUrl}/sdk.tgz`], { cwd: folder });
  await start(folder);
});
afterAll(async () => {
  await stop();
  await t?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(cwd: string): Promise<void> {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const { apiKey, slug, signingKey } = t.account;
  example = spawn(process.execPath, ['server.js'], {
    cwd,
    env: {
      SECRET_FILE: join(folder, 'webhook-secret.json'),
      PATH: process.env.PATH,
      PORT: String(port),
      LINE_NUMBER: number,
      CLARION_URL: t.baseUrl,
      CLARION_API_KEY: apiKey,
      CLARION_CONSUMER: slug,
      CLARION_KID: signingKey.kid,
      CLARION_SIGNING_SECRET: signingKey.secret,
    },
  });
  output = '';
  for (const stream of [example.stdout, example.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await vi.waitFor(() => expect(output).toContain('Open http'), { timeout: START_MS, interval: 50 });
}

async function stop(): Promise<void> {
  if (!example || example.exitCode !== null) return;
  const exited = once(example, 'exit');
  example.kill();
  await exited;
}

const form = (path: string, fields: Record<string, string>, cookie = '') =>
  fetch(`${url}${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { cookie },
    redirect: 'manual',
  });
async function logIn(user: string): Promise<string> {
  const answer = await form('/login', { user });
  expect(answer.status).toBe(303);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}
async function agentOf(cookie: string): Promise<ScriptedAgent> {
  const answer = await fetch(`${url}/token`, { headers: { cookie } });
  const { token } = (await answer.json()) as { token: string };
  return ScriptedAgent.connect({ url: t.baseUrl, token: () => token });
}
/** The cells of a call's row on the page. */
async function shown(callId: number): Promise<string[]> {
  const text = await (await fetch(url)).text();
  const row = new RegExp(`<tr data-call="${callId}">(.*?)</tr>`).exec(text)?.[1] ?? '';
  return row.split('</td><td>').map((cell) => cell.replaceAll(/<\/?td>/g, ''));
}
const showsEnd = (callId: number) =>
  expect
    .poll(() => shown(callId), { timeout: 10_000 })
    .toEqual(expect.arrayContaining([expect.stringContaining('call.ended')]));

test('it needs no registry, provisions its tenant, signs in its user, places and receives calls, and processes each event once', async () => {
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/@clarion/sdk']);

  expect((await fetch(`${url}/token`)).status).toBe(401);
  expect((await fetch(`${url}/token`, { headers: { cookie: 'session=ada.0000' } })).status).toBe(401);
  const cookie = await logIn('ada');
  const ada = await agentOf(cookie);

  // Outbound: the form is submitted twice, but the customer is called once.
  const order = { to: CUSTOMER, order_id: 'order-1' };
  const answers = await Promise.all([form('/calls', order, cookie), form('/calls', order, cookie)]);
  const [first, second] = await Promise.all(
    answers.map(async (each) => (await each.json()) as { callId: number }),
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(second).toEqual(first);
  const callId = first?.callId ?? 0;
  t.carrier.behaviour = { do: 'answer' };
  await ada.start(callId);
  await expect.poll(() => shown(callId)).toEqual(expect.arrayContaining(['IN_PROGRESS']));
  await ada.hangUp(callId);
  await showsEnd(callId);
  const row = await shown(callId);
  expect(row.slice(1, 6)).toEqual(['OUTBOUND', CUSTOMER, 'ada', 'TERMINATED', 'COMPLETED']);
  expect(row.at(-1)?.split(', ').toSorted()).toEqual([
    'call.answered',
    'call.created',
    'call.ended',
    'call.ringing',
  ]);

  const refused = await form('/calls', { to: '12', order_id: 'order-2' }, cookie);
  expect(refused.status).toBe(400);

  // Inbound: a customer calls the provisioned line.
  await ada.available();
  const phone = await t.phone();
  const call = await phone.call(number, t.sip, { from: '441632960123' });
  const offer = await ada.incoming();
  await ada.accept(offer.callId);
  await call.answered();
  // Before the service has processed the answer, hanging up would cancel the accept.
  await expect.poll(() => shown(offer.callId)).toEqual(expect.arrayContaining(['IN_PROGRESS']));
  await ada.hangUp(offer.callId);
  await showsEnd(offer.callId);
  expect((await shown(offer.callId)).slice(1, 6)).toEqual([
    'INBOUND',
    '+441632960123',
    'ada',
    'TERMINATED',
    'COMPLETED',
  ]);

  // A repeated event changes nothing; an unsigned one is refused.
  const { events } = await t.v1.ok<{ events: { eventId: string }[] }>(
    'GET',
    `/v1/events?call_id=${callId}&type=call.ended`,
  );
  const [{ eventId } = { eventId: '' }] = events;
  await t.v1.ok('POST', `/v1/events/${eventId}/redeliver`);
  const attempts = async () => {
    const list = await t.v1.ok<{ events: { attempts: { status: number }[] }[] }>(
      'GET',
      `/v1/events?call_id=${callId}&type=call.ended`,
    );
    return list.events[0]?.attempts.map(({ status }) => status);
  };
  await expect.poll(attempts).toEqual([204, 204]);
  expect(await shown(callId)).toEqual(row);
  const forged = { event_id: 'f', event_type: 'call.ended', data: { call: {} } };
  const headers = { 'x-clarion-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` };
  const answer = await fetch(`${url}/webhooks/clarion`, {
    method: 'POST',
    body: JSON.stringify(forged),
    headers,
  });
  expect(answer.status).toBe(400);

  // After a restart inside the repository, it finds everything unchanged, and its secret is still valid.
  await stop();
  await start(source);
  expect((await shown(callId)).slice(1, 6)).toEqual(row.slice(1, 6));
  const next = await form('/calls', { to: CUSTOMER, order_id: 'order-3' }, await logIn('ada'));
  const { callId: nextId } = (await next.json()) as { callId: number };
  await expect
    .poll(() => shown(nextId), { timeout: 10_000 })
    .toEqual(expect.arrayContaining(['call.created']));
  ada.close();
});
