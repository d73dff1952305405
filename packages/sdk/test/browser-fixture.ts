/** The fixture of the browser tests: one bundle and browser per file, one service and browser context per test. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { signIn } from './agent-tab.ts';
import { TestService } from './service.ts';

const BROWSER_ARGS = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--allow-loopback-in-peer-connection',
  '--autoplay-policy=no-user-gesture-required',
  '--disable-background-networking',
  '--no-sandbox',
];
const SET_UP_LIMIT_MS = 60_000;

export let service: TestService;
export let context: BrowserContext;

/** Creates the fixture for the tests of the file, with the published bundle. */
export function useBrowserFixture(): void {
  let directory: string;
  let sdkFile: string;
  let browser: Browser | undefined;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'clarion-sdk-'));
    sdkFile = join(directory, 'sdk.js');
    execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.ts', import.meta.url)), sdkFile]);
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: BROWSER_ARGS });
  }, SET_UP_LIMIT_MS);

  afterAll(async () => {
    await browser?.close();
    await rm(directory, { recursive: true, force: true });
  });

  beforeEach(async () => {
    if (!browser) throw new Error('The browser did not start.');
    service = await TestService.start(browser, sdkFile);
    context = await browser.newContext();
  });

  afterEach(async () => {
    await context.close();
    await service.close();
  });
}

export async function openPage(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(service.url);
  return page;
}

/** Opens a tab and signs the agent in. */
export async function openAgent(lifetimeSeconds?: number): Promise<Page> {
  const page = await openPage();
  await signIn(page, lifetimeSeconds);
  return page;
}
