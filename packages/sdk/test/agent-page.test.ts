import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type * as Clarion from '../src/browser/index.ts';
import { aCall } from './a-call.ts';
import { TestService } from './service.ts';

type AgentWindow = typeof window & {
  Clarion: typeof Clarion;
  agent: Clarion.Agent;
  log: string[];
  tokens: number;
};

const BROWSER_ARGS = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--allow-loopback-in-peer-connection',
  '--autoplay-policy=no-user-gesture-required',
  '--disable-background-networking',
  '--no-sandbox',
];

let directory: string;
let sdkFile: string;
let browser: Browser;
let service: TestService;
let context: BrowserContext;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'clarion-sdk-'));
  sdkFile = join(directory, 'sdk.js');
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.ts', import.meta.url)), sdkFile]);
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: BROWSER_ARGS });
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(async () => {
  service = await TestService.start(browser, sdkFile);
  context = await browser.newContext();
});

afterEach(async () => {
  await context.close();
  await service.close();
});

/** Unsigned, but readable: the SDK looks at the subject to find the other tabs of the same agent. */
const claims = Buffer.from(JSON.stringify({ iss: 'acme', tnt: 'demo', sub: 'ada' })).toString('base64url');

/** Opens a tab and signs the agent in; every SDK event goes to `log`. */
async function openAgent(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(service.url);
  await signIn(page);
  return page;
}

async function signIn(page: Page): Promise<void> {
  await page.evaluate(async (payload) => {
    const tab = window as AgentWindow;
    tab.log = [];
    tab.tokens = 0;
    const agent = await tab.Clarion.connect({
      url: location.origin,
      getToken: () => `h.${payload}.token-${(tab.tokens += 1)}`,
    });
    tab.agent = agent;
    agent.on('incoming', (call) => tab.log.push(`incoming ${call.id}`));
    agent.on('withdrawn', (call, reason) => tab.log.push(`withdrawn ${call.id} ${reason}`));
    agent.on('state', (state, call) => tab.log.push(`state ${state} ${call.id}`));
    agent.on('remoteStream', (_, call) => tab.log.push(`remoteStream ${call.id}`));
    agent.on('connection', (state) => tab.log.push(`connection ${state}`));
    agent.on('warning', (warning) => tab.log.push(`warning ${warning.name} ${warning.active}`));
  }, claims);
}

const logged = (page: Page, line: string, times = 1) =>
  page.waitForFunction(
    ({ text, count }) => (window as AgentWindow).log.filter((one) => one === text).length >= count,
    { text: line, count: times },
    { timeout: 20_000 },
  );
const log = (page: Page) => page.evaluate(() => (window as AgentWindow).log);
const onCall = (page: Page, action: 'accept' | 'hangup' | 'decline') =>
  page.evaluate(async (name) => {
    await (window as AgentWindow).agent.calls[0]?.[name]();
  }, action);

/** Resolves once the other end hears more of the agent than it has so far. */
async function isHeard(): Promise<void> {
  const before = await service.heardEnergy();
  await expect.poll(() => service.heardEnergy(), { timeout: 10_000 }).toBeGreaterThan(before);
}

describe('an agent in a browser', { timeout: 60_000 }, () => {
  test('answers a call, is heard, and hangs up', async () => {
    const page = await openAgent();
    service.offer(aCall());
    await logged(page, 'incoming 1');
    await onCall(page, 'accept');
    await logged(page, 'remoteStream 1');
    await isHeard();
    await onCall(page, 'hangup');
    await logged(page, 'state ended 1');
    expect(await log(page)).toEqual(['incoming 1', 'state active 1', 'remoteStream 1', 'state ended 1']);
  });

  test('starts an outbound call and hears when the customer answers', async () => {
    const page = await openAgent();
    await page.evaluate(async () => {
      const tab = window as AgentWindow;
      const call = await tab.agent.startOutbound(9);
      tab.log.push(`resolved ${call.id} ${call.state}`);
    });
    service.change({ state: 'active' });
    await logged(page, 'state active 9');
    await logged(page, 'remoteStream 9');
    expect((await log(page)).slice(0, 2)).toEqual(['state dialing 9', 'resolved 9 dialing']);
  });

  test('a reload resumes the live call unasked', async () => {
    const page = await openAgent();
    service.offer(aCall());
    await logged(page, 'incoming 1');
    await onCall(page, 'accept');
    await logged(page, 'remoteStream 1');
    service.forget();
    await page.reload();
    await signIn(page);
    await service.next('call:resume');
    await logged(page, 'remoteStream 1');
    await isHeard();
  });
});
