/** Shared by the browser tests of the SDK: the built bundle, the browser, and a tab in which an agent signs in. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import type * as Clarion from '../src/browser/index.ts';

export type AgentWindow = typeof window & {
  Clarion: typeof Clarion;
  agent: Clarion.Agent;
  log: string[];
  /** Every track the page captured. */
  microphones: MediaStreamTrack[];
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

export interface Setup {
  sdkFile: string;
  browser: Browser;
  close(): Promise<void>;
}

/** Builds the bundle that is published, and starts the browser. */
export async function setUp(): Promise<Setup> {
  const directory = await mkdtemp(join(tmpdir(), 'clarion-sdk-'));
  const sdkFile = join(directory, 'sdk.js');
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.ts', import.meta.url)), sdkFile]);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: BROWSER_ARGS });
  return {
    sdkFile,
    browser,
    async close() {
      await browser.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Unsigned, but readable: the SDK looks at the subject to find the other tabs of the same agent. */
const claims = (lifetimeSeconds: number) => {
  const iat = Math.floor(Date.now() / 1000);
  const body = { iss: 'acme', tnt: 'demo', sub: 'ada', iat, exp: iat + lifetimeSeconds };
  return Buffer.from(JSON.stringify(body)).toString('base64url');
};

/** Every event of the SDK goes to `log`. */
export async function signIn(page: Page, lifetimeSeconds = 600): Promise<void> {
  await page.evaluate(async (payload) => {
    const tab = window as AgentWindow;
    tab.log = [];
    tab.microphones = [];
    const { mediaDevices } = navigator;
    const capture = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = async (constraints) => {
      const stream = await capture(constraints);
      tab.microphones.push(...stream.getAudioTracks());
      return stream;
    };
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
  }, claims(lifetimeSeconds));
}

export const logged = (page: Page, line: string, times = 1) =>
  page.waitForFunction(
    ({ text, count }) => (window as AgentWindow).log.filter((one) => one === text).length >= count,
    { text: line, count: times },
    { timeout: 20_000 },
  );
export const log = (page: Page) => page.evaluate(() => (window as AgentWindow).log);
export const onCall = (page: Page, action: 'accept' | 'hangup' | 'decline') =>
  page.evaluate(async (name) => {
    await (window as AgentWindow).agent.calls[0]?.[name]();
  }, action);
