/** The fixture of the browser tests: one bundle and browser per file, one service and browser context per test. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { signIn, type SignInOptions } from './agent-tab.ts';
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

let browser: Browser | undefined;
export let service: TestService;
export let context: BrowserContext;

/** Creates the fixture for the tests of the file, with the published bundle. */
export function useBrowserFixture(): void {
  let directory: string;
  let sdkFile: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'clarion-sdk-'));
    sdkFile = join(directory, 'sdk.js');
    execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.ts', import.meta.url)), sdkFile]);
    browser = await chromium.launch({
      executablePath: '/usr/bin/chromium-headless-shell',
      args: BROWSER_ARGS,
    });
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

/** @param device a browser profile; by default the one that every test has */
export async function openPage(device = context): Promise<Page> {
  const page = await device.newPage();
  await page.goto(service.url);
  return page;
}

/** Another device: a browser profile with its own storage. The test closes it. */
export async function openDevice(): Promise<BrowserContext> {
  if (!browser) throw new Error('The browser did not start.');
  return browser.newContext();
}

/** Opens a tab and signs the agent in. */
export async function openAgent(options: SignInOptions & { device?: BrowserContext } = {}): Promise<Page> {
  const page = await openPage(options.device);
  await signIn(page, options);
  return page;
}

/** Resolves once the other end receives more audio from the agent. */
export async function isHeard(): Promise<void> {
  const before = await service.heardEnergy();
  await expect.poll(() => service.heardEnergy(), { timeout: 10_000 }).toBeGreaterThan(before);
}
