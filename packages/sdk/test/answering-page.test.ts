import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ClientMessage } from '@clarion/protocol/socket';
import { aCall } from '@clarion/testkit/agents/a-call';
import { logged, microphones, onCall, type AgentWindow } from './agent-tab.ts';
import { context, openAgent, service, useBrowserFixture } from './browser-fixture.ts';

/**
 * Maximum time between a click and the message that claims the call: less than the 1.5 s that waiting for candidates of a silent server takes,
 * and more than a busy machine needs to create an offer.
 */
const CLAIM_LIMIT_MS = 1_000;

useBrowserFixture();

/** A TURN server that receives packets and never answers. */
let silentTurn: Socket;

beforeAll(async () => {
  silentTurn = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silentTurn, 'listening');
});

afterAll(() => silentTurn?.close());

describe('with a TURN server that does not answer', { timeout: 60_000 }, () => {
  beforeEach(() => {
    const urls = [`turn:127.0.0.1:${silentTurn.address().port}?transport=udp`];
    service.iceServers = [{ urls, username: 'ada', credential: 'secret' }];
  });

  const mediaOf = (page: Page) => page.evaluate(() => (window as AgentWindow).agent.calls[0]?.media);

  /** Milliseconds from the action in the page to the message at the service. */
  async function delayOf(message: ClientMessage, act: () => Promise<number>): Promise<number> {
    service.forget();
    const [startedAt, { at }] = await Promise.all([act(), service.next(message)]);
    return at - startedAt;
  }

  /** Starts the action in the page without waiting for it. Resolves with the time of the page in milliseconds. */
  const begin = (page: Page, action: 'accept' | 'resume') =>
    page.evaluate((name) => {
      const at = Date.now();
      void (window as AgentWindow).agent.calls[0]?.[name]();
      return at;
    }, action);

  test('an accept, a resume, a start and a monitor send their offer immediately, and the audio flows', async () => {
    const page = await openAgent();
    // Chromium starts its audio and network processes for the first call.
    service.offer(aCall());
    await logged(page, 'incoming 1');
    await onCall(page, 'accept');
    await logged(page, 'remoteStream 1');
    await onCall(page, 'hangup');
    await logged(page, 'state ended 1');

    service.offer(aCall({ callId: 2 }));
    await logged(page, 'incoming 2');
    expect(await delayOf('call:accept', () => begin(page, 'accept'))).toBeLessThan(CLAIM_LIMIT_MS);
    await logged(page, 'remoteStream 2');

    expect(await delayOf('call:resume', () => begin(page, 'resume'))).toBeLessThan(CLAIM_LIMIT_MS);
    await expect.poll(() => mediaOf(page), { timeout: 10_000 }).toBe('connected');
    await onCall(page, 'hangup');
    await logged(page, 'state ended 2');

    const start = () =>
      page.evaluate(() => {
        const at = Date.now();
        void (window as AgentWindow).agent.startOutbound(9);
        return at;
      });
    expect(await delayOf('call:start', start)).toBeLessThan(CLAIM_LIMIT_MS);
    await logged(page, 'remoteStream 9');

    const monitor = () =>
      page.evaluate(() => {
        const tab = window as AgentWindow;
        const at = Date.now();
        void tab.agent.monitor(5).then((monitor) => {
          monitor.on('remoteStream', () => tab.log.push('monitored 5'));
        });
        return at;
      });
    expect(await delayOf('monitor:start', monitor)).toBeLessThan(CLAIM_LIMIT_MS);
    await logged(page, 'monitored 5');
  });
});

describe('while a call rings', { timeout: 60_000 }, () => {
  test('the microphone opens in the visible tab, and closes when the call is declined', async () => {
    await context.grantPermissions(['microphone']);
    const page = await openAgent();
    service.offer(aCall());
    await expect.poll(() => microphones(page), { timeout: 10_000 }).toEqual(['live']);
    await onCall(page, 'decline');
    await logged(page, 'withdrawn 1 CANCELLED');
    expect(await microphones(page)).toEqual(['ended']);
  });

  test('the call is answered with the microphone that was opened', async () => {
    await context.grantPermissions(['microphone']);
    const page = await openAgent();
    service.offer(aCall());
    await expect.poll(() => microphones(page), { timeout: 10_000 }).toEqual(['live']);
    await onCall(page, 'accept');
    await logged(page, 'remoteStream 1');
    expect(await microphones(page)).toEqual(['live']);
    await onCall(page, 'hangup');
    await logged(page, 'state ended 1');
    expect(await microphones(page)).toEqual(['ended']);
  });
});
