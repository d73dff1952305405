/** The phone in pages of another origin, as in the example: as an element and in a frame, with a real call that is transferred. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { installPushPlatform } from '@clarion/testkit/agents/push-platform';
import { TestStack } from '@clarion/testkit/stack/stack';
import { type SipCall } from '@clarion/test-phone/sip/call';
import { HEARD_WITHIN_MS, hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { newNumber } from '@clarion/testkit/stack/call-centre';
import { signToken } from '@clarion/testkit/stack/token';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '@clarion/devkit/settings/free-port';

const example = resolve(import.meta.dirname, '../../examples/embed');
const START_MS = 15_000;
const SHOWN_MS = 15_000;
const CUSTOMER = '441632960123';
const CUSTOMER_HZ = 600;
const FLORA_HZ = 1000;
const GUS_HZ = 1500;
const number = newNumber();

interface Tokens {
  pushTokens: { deviceId: string; platform: string; provider: string; rejectedAt: string | null }[];
}

let t: TestStack;
let backend: ChildProcess;
let url: string;
let browsers: TestBrowser[] = [];
let flora: BrowserPage;
let gus: BrowserPage;
let elsewhere: Server;

beforeAll(async () => {
  t = await TestStack.share();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const { apiKey, slug, signingKey } = t.account;
  backend = spawn(process.execPath, ['server.js'], {
    cwd: example,
    env: {
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
  let output = '';
  for (const stream of [backend.stdout, backend.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await vi.waitFor(() => expect(output).toContain('Open http'), { timeout: START_MS, interval: 50 });
  browsers = await Promise.all(
    [FLORA_HZ, GUS_HZ].map((microphoneHz) => TestBrowser.launch({ microphoneHz })),
  );
  const [first, second] = browsers as [TestBrowser, TestBrowser];
  [flora, gus] = await Promise.all([logIn(first, 'flora', 'element'), logIn(second, 'gus', 'frame')]);
  elsewhere = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<p>Hi</p>'));
  await once(elsewhere.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  for (const browser of browsers) await browser.close();
  elsewhere?.close();
  if (backend?.exitCode === null) {
    const exited = once(backend, 'exit');
    backend.kill();
    await exited;
  }
  await t?.stop();
});

/** @param prepare runs before the product is opened, in a new profile of the browser */
async function logIn(
  browser: TestBrowser,
  user: string,
  page: 'element' | 'frame',
  prepare?: (page: Page) => Promise<void>,
): Promise<BrowserPage> {
  const opened = await browser.open('about:blank');
  await prepare?.(opened.page);
  await opened.page.goto(url);
  await opened.page.getByLabel('User').selectOption(user);
  await opened.page.getByRole('button', { name: 'Log in' }).click();
  await opened.page.goto(`${url}/${page}`);
  return opened;
}

const framed = () => gus.page.frameLocator('iframe[title="Phone"]');
const lastOf = ({ page }: BrowserPage) => page.locator('#last');

/** A call that Flora has answered in the element. */
async function talking(): Promise<SipCall> {
  const { page } = flora;
  await page.getByRole('combobox', { name: /Availability/ }).click();
  await page.getByRole('option', { name: 'Available' }).click();
  const phone = await t.phone();
  const call = await phone.call(number, t.sip, { from: CUSTOMER });
  await page.getByRole('button', { name: 'Answer' }).click({ timeout: SHOWN_MS });
  await call.answered();
  return call;
}

test('a call is answered in the element, both sides hear each other, and it is transferred to a colleague in a frame', async () => {
  const { page } = flora;
  await page.getByLabel('Number to call').waitFor({ timeout: SHOWN_MS });
  await framed().getByLabel('Number to call').waitFor({ timeout: SHOWN_MS });

  const call = await talking();
  call.audio.sendTone(CUSTOMER_HZ);
  await Promise.all([
    hearsTone(call.audio, FLORA_HZ),
    flora.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS }),
  ]);
  await expect.poll(() => lastOf(flora).textContent()).toBe(`state active +${CUSTOMER}`);

  await page.getByRole('button', { name: 'Transfer' }).click();
  await page.getByLabel('Search colleagues and queues').fill('gu');
  await page.getByText('Away, but can still answer').waitFor({ timeout: SHOWN_MS });
  await page.keyboard.press('Enter');
  await page.getByText('Transferring to', { exact: true }).waitFor({ timeout: SHOWN_MS });

  await framed().getByText('Transferred by Flora').waitFor({ timeout: SHOWN_MS });
  await framed().getByRole('button', { name: 'Answer' }).click();
  await hearsTone(call.audio, GUS_HZ, SHOWN_MS);
  await expect.poll(() => lastOf(gus).textContent()).toBe(`state active +${CUSTOMER}`);
  await expect.poll(() => lastOf(flora).textContent()).toBe(`ended +${CUSTOMER}`);
  await page.getByRole('button', { name: 'Recent' }).click();
  await page.getByRole('listitem').filter({ hasText: CUSTOMER }).waitFor({ timeout: SHOWN_MS });

  await framed().getByRole('button', { name: 'Hang up' }).click();
  await expect.poll(() => lastOf(gus).textContent(), { timeout: SHOWN_MS }).toBe(`ended +${CUSTOMER}`);
  expect([...flora.log, ...gus.log].filter((line) => line.startsWith('error'))).toEqual([]);
});

test('the frame places calls through the page that contains it', async () => {
  t.carrier.behaviour = { do: 'answer' };
  await framed().getByRole('button', { name: 'Done' }).click();
  await framed().getByLabel('Number to call').fill('+442079460999');
  await gus.page.keyboard.press('Enter');
  await expect
    .poll(() => lastOf(gus).textContent(), { timeout: SHOWN_MS })
    .toBe('state active +442079460999');
  await framed().getByRole('button', { name: 'Hang up' }).click();
  await expect.poll(() => lastOf(gus).textContent(), { timeout: SHOWN_MS }).toBe('ended +442079460999');
});

test('an agent of the example chooses that calls ring while the phone is closed, and signs out', async () => {
  const { page } = await logIn(browsers[0] as TestBrowser, 'flora', 'element', installPushPlatform);
  const tokens = () => t.account.v1.ok<Tokens>('GET', '/v1/tenants/florist/agents/flora/push-tokens');
  const ringing = page.getByRole('switch', { name: 'Ring when this tab is closed' });
  await page.getByRole('button', { name: 'Settings' }).click({ timeout: SHOWN_MS });
  await ringing.press('Space');
  await expect.poll(() => ringing.getAttribute('aria-checked')).toBe('true');
  const [token] = (await tokens()).pushTokens;
  expect(token).toMatchObject({ platform: 'WEB', provider: 'WEB_PUSH', rejectedAt: null });
  expect(token?.deviceId).toBe(await page.evaluate(() => localStorage.getItem('clarion:device')));

  await page
    .locator('clarion-phone')
    .evaluate((phone) => (phone as HTMLElement & { signOut(): Promise<void> }).signOut());
  expect((await tokens()).pushTokens).toEqual([]);
  await page.context().close();
});

test('the service worker of the frame starts on the pages of the service', async () => {
  const { page, context } = await (browsers[0] as TestBrowser).open(`${t.baseUrl}/docs`);
  const scope = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.register('/embed/push-worker.js');
    return registration.scope;
  });
  expect(scope).toBe(`${t.baseUrl}/embed/`);
  await context.close();
});

const framePath = () => `${t.baseUrl}/embed/phone/${t.account.slug}`;
const headersOf = async (address: string) => {
  const { headers } = await fetch(address);
  const policy = headers.get('content-security-policy') ?? '';
  return {
    frameAncestors: /frame-ancestors ([^;]*)/.exec(policy)?.[1],
    frameOptions: headers.get('x-frame-options'),
  };
};

test('only the allowed origins may show the frame, and no page may frame any other page', async () => {
  expect(await headersOf(framePath())).toEqual({ frameAncestors: url, frameOptions: null });
  expect(await headersOf(`${t.baseUrl}/embed/phone/nobody`)).toMatchObject({ frameAncestors: "'none'" });
  expect(await headersOf(`${t.baseUrl}/docs`)).toEqual({ frameAncestors: "'none'", frameOptions: 'DENY' });
});

test('a page of another origin gets neither the frame nor a connection', async () => {
  const { port } = elsewhere.address() as AddressInfo;
  const { page, ...stranger } = await (browsers[0] as TestBrowser).open(`http://127.0.0.1:${port}`);
  await page.evaluate((address) => {
    const frame = document.createElement('iframe');
    frame.src = address;
    document.body.append(frame);
  }, framePath());
  await expect
    .poll(
      () =>
        stranger.log.join('\n') +
        page
          .frames()
          .map((frame) => frame.url())
          .join('\n'),
    )
    .toMatch(/frame-ancestors|chrome-error:/);
  expect(await page.frameLocator('iframe').getByLabel('Number to call').count()).toBe(0);

  const token = signToken(t.account.signingKey, { iss: t.account.slug, tnt: 'florist', sub: 'flora' });
  await page.addScriptTag({ url: `${t.baseUrl}/embed.js` });
  // The element waits for its properties, which may be set later.
  await page.evaluate(() => document.body.append(document.createElement('clarion-phone')));
  await page.getByText('Set token-url or getToken').waitFor({ timeout: SHOWN_MS });
  await page.locator('clarion-phone').evaluate((phone, known) => {
    Object.assign(phone, { getToken: () => known });
  }, token);
  await page
    .getByText('The account does not allow agents to connect from this origin.')
    .waitFor({ timeout: SHOWN_MS });
});
