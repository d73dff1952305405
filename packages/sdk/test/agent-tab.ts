/** A browser tab in which an agent or a supervisor signs in. */
import type { Page } from 'playwright-core';
import type * as Clarion from '../src/browser/index.ts';

export type AgentWindow = typeof window & {
  Clarion: typeof Clarion;
  agent: Clarion.Agent;
  log: string[];
  /** Every track that the page captured. */
  microphones: MediaStreamTrack[];
  tokens: number;
};

/** Unsigned. The SDK only decodes the subject, to find the other tabs of the same agent. */
const claims = (lifetimeSeconds: number) => {
  const iat = Math.floor(Date.now() / 1000);
  const body = { iss: 'acme', tnt: 'demo', sub: 'ada', iat, exp: iat + lifetimeSeconds };
  return Buffer.from(JSON.stringify(body)).toString('base64url');
};

export interface SignInOptions {
  lifetimeSeconds?: number;
  microphoneWhileRinging?: boolean;
}

/** Records every event of the SDK in `log`. */
export async function signIn(page: Page, options: SignInOptions = {}): Promise<void> {
  const { lifetimeSeconds = 600, microphoneWhileRinging = true } = options;
  await page.evaluate(
    async ({ payload, microphoneWhileRinging }) => {
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
        microphoneWhileRinging,
      });
      tab.agent = agent;
      agent.on('incoming', (call) => tab.log.push(`incoming ${call.id}`));
      agent.on('withdrawn', (call, reason) => tab.log.push(`withdrawn ${call.id} ${reason}`));
      agent.on('state', (state, call) => tab.log.push(`state ${state} ${call.id}`));
      agent.on('remoteStream', (_, call) => tab.log.push(`remoteStream ${call.id}`));
      agent.on('connection', (state) => tab.log.push(`connection ${state}`));
      agent.on('warning', (warning) => tab.log.push(`warning ${warning.name} ${warning.active}`));
      agent.on('boardCall', (change) =>
        tab.log.push(
          'removed' in change
            ? `removed ${change.removed}`
            : `call ${change.call.callId} v${change.call.version}`,
        ),
      );
      agent.on('counters', (queues) => tab.log.push(`counters ${queues.length}`));
    },
    { payload: claims(lifetimeSeconds), microphoneWhileRinging },
  );
}

export const logged = (page: Page, line: string, times = 1) =>
  page.waitForFunction(
    ({ text, count }) => (window as AgentWindow).log.filter((one) => one === text).length >= count,
    { text: line, count: times },
    { timeout: 20_000 },
  );
export const log = (page: Page) => page.evaluate(() => (window as AgentWindow).log);
/** The `readyState` of every track that the page captured. */
export const microphones = (page: Page) =>
  page.evaluate(() => (window as AgentWindow).microphones.map(({ readyState }) => readyState));
export const onCall = (page: Page, action: 'accept' | 'hangup' | 'decline') =>
  page.evaluate(async (name) => {
    await (window as AgentWindow).agent.calls[0]?.[name]();
  }, action);
