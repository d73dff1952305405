import { build } from 'esbuild';
import {
  deliverPush,
  installPushPlatform,
  PUSH_ENDPOINT,
  workerOf,
  workerPlatform,
} from '@clarion/testkit/agents/push-platform';
import type { Page, Worker } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserTargets, webPushWorker } from '../scripts/package-files.ts';
import { SUBSCRIBE_TIMEOUT_MS } from '../src/browser/web-push.ts';
import { signIn, type AgentWindow } from './agent-tab.ts';
import { context, service, useBrowserFixture } from './browser-fixture.ts';

const WORKER_PATH = '/push/worker.js';
const KEY = Buffer.alloc(65, 4).toString('base64url');
const OTHER_KEY = Buffer.alloc(65, 5).toString('base64url');

useBrowserFixture();
let script: string;
beforeAll(async () => {
  const { outputFiles } = await build({ ...webPushWorker, target: browserTargets, write: false });
  script = outputFiles[0]?.text ?? '';
});
beforeEach(() => {
  service.webPushKey = KEY;
  service.scripts.set(WORKER_PATH, workerPlatform + script);
});

async function openPage({
  answers = 'granted' as NotificationPermission,
  path = '/phone',
} = {}): Promise<Page> {
  const page = await context.newPage();
  await installPushPlatform(page, { answers });
  await page.goto(service.url + path);
  await signIn(page);
  return page;
}
/** Resolves with the code of the error, or null. */
const enable = (page: Page, phoneUrl?: string) =>
  page.evaluate(
    ([serviceWorkerUrl, url]) =>
      (window as AgentWindow).agent.webPush
        .enable({ serviceWorkerUrl: serviceWorkerUrl as string, phoneUrl: url })
        .then(
          () => null,
          (error: { code?: string }) => error.code,
        ),
    [WORKER_PATH, phoneUrl],
  );
const state = (page: Page) =>
  page.evaluate(() => {
    const { supported, available, permission, subscribed } = (window as AgentWindow).agent.webPush;
    return { supported, available, permission, subscribed };
  });
const subscriptions = () =>
  service.received.flatMap(({ message, payload }) => (message === 'push:subscribe' ? [payload] : []));

describe('an agent', () => {
  test('turns it on, keeps it after a reload, and turns it off', async () => {
    const page = await openPage();
    expect(await state(page)).toEqual({
      supported: true,
      available: true,
      permission: 'default',
      subscribed: false,
    });
    expect(await enable(page)).toBeNull();
    expect(await state(page)).toMatchObject({ permission: 'granted', subscribed: true });
    const keys = { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) };
    expect(subscriptions()).toEqual([{ subscription: { endpoint: `${PUSH_ENDPOINT}1`, keys } }]);

    service.forget();
    await page.reload();
    await signIn(page);
    await service.next('push:subscribe');
    expect(subscriptions()).toEqual([{ subscription: { endpoint: `${PUSH_ENDPOINT}1`, keys } }]);
    await expect.poll(() => state(page)).toMatchObject({ subscribed: true });

    await page.evaluate(() => (window as AgentWindow).agent.webPush.disable());
    expect(await state(page)).toMatchObject({ subscribed: false });
    await service.next('push:unsubscribe');
    service.forget();
    await page.reload();
    await signIn(page);
    await page.evaluate(() => (window as AgentWindow).agent.resync());
    expect(await state(page)).toMatchObject({ subscribed: false });
    expect(subscriptions()).toEqual([]);
  });

  test('subscribes again if the account has another key', async () => {
    const page = await openPage();
    await enable(page);
    service.webPushKey = OTHER_KEY;
    service.forget();
    await page.evaluate(() => (window as AgentWindow).agent.resync());
    await service.next('push:subscribe');
    expect(subscriptions()).toMatchObject([{ subscription: { endpoint: `${PUSH_ENDPOINT}2` } }]);
  });

  test('who blocked notifications in the settings of the browser no longer has it on', async () => {
    const page = await openPage();
    await enable(page);
    await page.evaluate(() => localStorage.setItem('platform:permission', 'denied'));
    service.forget();
    await page.reload();
    await signIn(page);
    await service.next('push:unsubscribe');
    expect(await state(page)).toMatchObject({ permission: 'denied', subscribed: false });
  });

  test('who signs out is no longer rung here', async () => {
    const page = await openPage();
    await enable(page);
    await page.evaluate(() => (window as AgentWindow).agent.signOut());
    await service.next('push:unsubscribe');
    await expect.poll(() => service.sockets).toBe(0);
  });

  test.each([
    ['who denies the permission', 'notifications_blocked', { answers: 'denied' as const }, KEY],
    ['whose account has not set it up', 'web_push_not_set_up', {}, null],
  ])('%s gets an error: %s', async (_, code, options, key) => {
    service.webPushKey = key;
    const page = await openPage(options);
    expect(await enable(page)).toBe(code);
    expect(await state(page)).toMatchObject({ subscribed: false });
    expect(subscriptions()).toEqual([]);
  });

  test('gets an error if the service worker cannot be started', async () => {
    service.scripts.set(WORKER_PATH, 'this is no script');
    const page = await openPage();
    expect(await enable(page)).toBe('web_push_failed');
  });

  test('gets an error if the browser never hears from its push service', async () => {
    const page = await context.newPage();
    await page.clock.install();
    await installPushPlatform(page, { subscribes: false });
    await page.goto(`${service.url}/phone`);
    await signIn(page);
    const enabled = enable(page);
    await workerOf(context, WORKER_PATH);
    // Time passes until the timer, which starts shortly after the worker, has fired.
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(SUBSCRIBE_TIMEOUT_MS);
          return Promise.race([enabled, null]);
        },
        { interval: 100 },
      )
      .toBe('web_push_failed');
    expect(await state(page)).toMatchObject({ subscribed: false });
  });

  test('is not offered it in a frame of another origin', async () => {
    const page = await context.newPage();
    await page.goto(service.url.replace('127.0.0.1', 'localhost'));
    await page.evaluate((src) => {
      document.body.append(Object.assign(document.createElement('iframe'), { src }));
    }, service.url);
    const frame = await expect
      .poll(() => page.frames().find((one) => one.url().startsWith(service.url)))
      .toBeDefined()
      .then(() => page.frames().find((one) => one.url().startsWith(service.url)));
    const supported = await frame?.evaluate(async () => {
      const { Clarion } = window as AgentWindow;
      const agent = await Clarion.connect({ url: location.origin, getToken: () => 'h.e30.s' });
      return agent.webPush.supported;
    });
    expect(supported).toBe(false);
  });
});

describe('the service worker', () => {
  const about = {
    pushId: '0197a3d2-7a51-7c32-8f4b-1d2a3c4b5e6f',
    ...{ callId: '981', tenantRef: 'demo', agentRef: 'ada', channelRef: 'main', callerName: 'Grace Hopper' },
  };
  const push = (type: string, more: object = {}) => {
    const [sentAt, expiresAt] = [Date.now(), Date.now() + 60_000].map((time) => new Date(time).toISOString());
    return JSON.stringify({ ...about, type, sentAt, expiresAt, ...more });
  };
  const shown = (worker: Worker) =>
    worker.evaluate(() =>
      (globalThis as typeof globalThis & { shown: { title: string; body: string }[] }).shown.map(
        ({ title, body }) => `${title}: ${body}`,
      ),
    );
  const click = (worker: Worker) =>
    worker.evaluate(async () => {
      const works: Promise<unknown>[] = [];
      const event = Object.assign(new Event('notificationclick'), {
        notification: { close: () => undefined },
        waitUntil: (work: Promise<unknown>) => works.push(work),
      });
      dispatchEvent(event);
      await Promise.all(works);
      return (globalThis as typeof globalThis & { opened: string[] }).opened;
    });

  test('shows a call, replaces it when the ringing ends, and shows something for any other push', async () => {
    const page = await openPage();
    await enable(page);
    const worker = await workerOf(context, WORKER_PATH);
    await deliverPush(page, push('call.incoming', { assignmentType: 'QUEUE' }));
    await expect.poll(() => shown(worker)).toEqual(['Incoming call: Grace Hopper']);
    await deliverPush(page, push('call.withdrawn', { reason: 'ANSWERED_ELSEWHERE' }));
    await expect.poll(() => shown(worker)).toEqual(['Answered elsewhere: Grace Hopper']);
    await deliverPush(page, '{"type":"another"}');
    await expect
      .poll(() => shown(worker))
      .toEqual(['Answered elsewhere: Grace Hopper', 'The phone has news: Open the phone to see it.']);
  });

  test('opens the page that turned it on, whatever the payload says', async () => {
    const page = await openPage();
    await enable(page, '/phone?from=push');
    const worker = await workerOf(context, WORKER_PATH);
    await deliverPush(
      page,
      push('call.incoming', {
        assignmentType: 'QUEUE',
        url: 'https://evil.example/',
        phoneUrl: 'https://evil.example/',
      }),
    );
    await expect.poll(() => shown(worker)).toHaveLength(1);
    await page.goto(`${service.url}/elsewhere`);
    expect(await click(worker)).toEqual([`${service.url}/phone?from=push`]);
  });
});
