/** What a click on "answer" does, in which order, and who gets the call if several devices click. */
import type { BrowserContext, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { aCall } from '@clarion/testkit/agents/a-call';
import { logged, microphones, type AgentWindow } from './agent-tab.ts';
import { context, isHeard, openAgent, openDevice, service, useBrowserFixture } from './browser-fixture.ts';

useBrowserFixture();

type Step = 'permission' | 'microphone' | 'offer' | 'click' | 'claim' | 'gathering';

type RecordedWindow = AgentWindow & {
  /** What the page did, in order. */
  steps: Step[];
  /** Captures wait for it. */
  device: Promise<void>;
  openDevice(): void;
  failDevice(): void;
};

/** Records the steps of answering, and lets a test hold the microphone back. */
function recordSteps(): void {
  const page = window as RecordedWindow;
  page.steps = [];
  page.device = Promise.resolve();
  type Method = (...args: unknown[]) => unknown;
  const wrap = (target: object, name: string, around: (call: () => unknown, args: unknown[]) => unknown) => {
    const original: Method = Reflect.get(target, name);
    Reflect.set(target, name, function (this: unknown, ...args: unknown[]) {
      return around(() => Reflect.apply(original, this, args), args);
    });
  };
  const before = (step: Step) => (call: () => unknown) => {
    page.steps.push(step);
    return call();
  };
  const after = (step: Step) => async (call: () => unknown) => {
    const result = await call();
    page.steps.push(step);
    return result;
  };
  wrap(navigator.permissions, 'query', after('permission'));
  wrap(navigator.mediaDevices, 'getUserMedia', async (capture) => {
    page.steps.push('microphone');
    await page.device;
    return capture();
  });
  wrap(RTCPeerConnection.prototype, 'createOffer', after('offer'));
  wrap(RTCPeerConnection.prototype, 'setLocalDescription', before('gathering'));
  wrap(WebSocket.prototype, 'send', (send, [data]) => {
    if (typeof data === 'string' && data.includes('"call:accept"')) page.steps.push('claim');
    return send();
  });
}

const steps = (page: Page) => page.evaluate(() => (window as RecordedWindow).steps);
const has = (page: Page, step: Step) =>
  page.waitForFunction((name) => (window as RecordedWindow).steps.includes(name), step);

/** Holds captures back until `openDevice` or `failDevice` is called in the page. */
const holdDevice = (page: Page) =>
  page.evaluate(() => {
    const tab = window as RecordedWindow;
    tab.device = new Promise((resolve, reject) => {
      tab.openDevice = resolve;
      tab.failDevice = () => reject(new DOMException('in use', 'NotReadableError'));
    });
  });

/** Clicks, and returns the steps up to the end of the click's own task. */
const click = (page: Page) =>
  page.evaluate(() => {
    const tab = window as RecordedWindow;
    tab.steps.push('click');
    const [call] = tab.agent.calls;
    call?.accept().then(
      () => tab.log.push('accepted'),
      ({ code }: { code: string }) => tab.log.push(`refused ${code}`),
    );
    return [...tab.steps];
  });

/** How the click ended. */
async function outcome(page: Page): Promise<string> {
  const find = () => (window as AgentWindow).log.find((line) => /^(accepted|refused)/.test(line));
  return String(await (await page.waitForFunction(find)).jsonValue());
}

async function openDevicePage(device: BrowserContext = context, whileRinging = true): Promise<Page> {
  await device.addInitScript(recordSteps);
  return openAgent({ device, microphoneWhileRinging: whileRinging });
}

async function ring(...pages: Page[]): Promise<void> {
  service.offer(aCall());
  await Promise.all(pages.map((page) => logged(page, 'incoming 1')));
}

describe('with the permission to use the microphone', { timeout: 60_000 }, () => {
  beforeEach(() => context.grantPermissions(['microphone']));

  test('the click itself claims the call, and candidates are gathered afterwards', async () => {
    const page = await openDevicePage();
    await ring(page);
    await has(page, 'offer');
    await expect.poll(() => microphones(page)).toEqual(['live']);
    const atClick = await click(page);
    expect(atClick.slice(0, -3).toSorted()).toEqual(['microphone', 'offer', 'permission']);
    expect(atClick.slice(-3)).toEqual(['click', 'claim', 'gathering']);
    await logged(page, 'remoteStream 1');
    await isHeard();
    expect(await steps(page)).toEqual(atClick);
  });

  test('a microphone that is still opening does not delay the claim, and is heard once it is open', async () => {
    const page = await openDevicePage();
    await holdDevice(page);
    await ring(page);
    await Promise.all([has(page, 'offer'), has(page, 'microphone')]);
    expect(await click(page)).toContain('claim');
    await logged(page, 'remoteStream 1');
    expect(await microphones(page)).toEqual([]);
    await page.evaluate(() => (window as RecordedWindow).openDevice());
    await logged(page, 'accepted');
    await isHeard();
  });

  test('a microphone that fails after the claim is replaced by silence, with a warning', async () => {
    const page = await openDevicePage();
    await holdDevice(page);
    await ring(page);
    await Promise.all([has(page, 'offer'), has(page, 'microphone')]);
    await click(page);
    await page.evaluate(() => (window as RecordedWindow).failDevice());
    await logged(page, 'warning microphone-missing true');
    await logged(page, 'remoteStream 1');
    await logged(page, 'accepted');
  });

  test('a microphone that failed while the call rang keeps the call ringing', async () => {
    const page = await openDevicePage();
    await holdDevice(page);
    await ring(page);
    await has(page, 'microphone');
    await page.evaluate(() => (window as RecordedWindow).failDevice());
    await page.evaluate(() => (window as RecordedWindow).device.catch(() => undefined));
    await click(page);
    await logged(page, 'refused microphone_unavailable');
    expect(await steps(page)).not.toContain('claim');
    expect(service.call?.state).toBe('incoming');
  });

  test('an app that opens the microphone only for answered calls also claims the call first', async () => {
    const page = await openDevicePage(context, false);
    await ring(page);
    await Promise.all([has(page, 'offer'), has(page, 'permission')]);
    await page.evaluate(() => navigator.mediaDevices.enumerateDevices());
    expect(await microphones(page)).toEqual([]);
    const atClick = await click(page);
    expect(atClick.slice(-4)).toEqual(['click', 'microphone', 'claim', 'gathering']);
    await logged(page, 'accepted');
    await isHeard();
    expect(await microphones(page)).toEqual(['live']);
  });

  test('one of two tabs that answer at once gets the call, and keeps its audio', async () => {
    const tabs = [await openDevicePage(), await openDevicePage()];
    await ring(...tabs);
    await Promise.all(tabs.map(click));
    const outcomes = await Promise.all(tabs.map(outcome));
    expect(outcomes.toSorted()).toEqual([
      'accepted',
      expect.stringMatching(/^refused (invalid|wrong)_state$/),
    ]);
    const winner = tabs[outcomes.indexOf('accepted')] as Page;
    await logged(winner, 'remoteStream 1');
    await isHeard();
    const here = await Promise.all(
      tabs.map((tab) => tab.evaluate(() => (window as AgentWindow).agent.calls[0]?.here)),
    );
    expect(here).toEqual(outcomes.map((one) => one === 'accepted'));
    expect(service.received.map(({ message }) => message)).not.toContain('call:resume');
  });
});

describe('without the permission to use the microphone', { timeout: 60_000 }, () => {
  test('nothing is captured while the call rings, and the call is claimed only after the prompt', async () => {
    await context.addInitScript(() => {
      navigator.permissions.query = async () => ({ state: 'prompt' }) as PermissionStatus;
    });
    const page = await openDevicePage();
    await holdDevice(page);
    await ring(page);
    await Promise.all([has(page, 'offer'), has(page, 'permission')]);
    expect((await click(page)).slice(-2)).toEqual(['click', 'microphone']);
    expect(service.received).toEqual([]);
    await page.evaluate(() => (window as RecordedWindow).openDevice());
    await logged(page, 'accepted');
    expect((await steps(page)).slice(-4)).toEqual(['click', 'microphone', 'claim', 'gathering']);
  });
});

describe('two devices of an agent', { timeout: 60_000 }, () => {
  test('the first click wins, even on the device whose microphone opens last', async () => {
    const device = await openDevice();
    await Promise.all([context, device].map((one) => one.grantPermissions(['microphone'])));
    const [first, second] = [await openDevicePage(), await openDevicePage(device)];
    await holdDevice(first);
    await ring(first, second);
    await Promise.all([first, second].map((page) => has(page, 'offer')));
    await has(first, 'microphone');
    await click(first);
    await service.next('call:accept');
    await click(second);
    await logged(second, 'withdrawn 1 ANSWERED_ELSEWHERE');
    await first.evaluate(() => (window as RecordedWindow).openDevice());
    await logged(first, 'accepted');
    await isHeard();
    await device.close();
  });

  test('exactly one of two clicks at once wins, and the other learns why and closes its microphone', async () => {
    const device = await openDevice();
    await Promise.all([context, device].map((one) => one.grantPermissions(['microphone'])));
    const pages = [await openDevicePage(), await openDevicePage(device)];
    await ring(...pages);
    await Promise.all(pages.map((page) => has(page, 'offer')));
    const idle = Promise.withResolvers<void>();
    service.busy = idle.promise;
    await Promise.all(pages.map(click));
    await expect.poll(() => service.received.length).toBe(2);
    idle.resolve();
    const outcomes = await Promise.all(pages.map(outcome));
    expect(outcomes.toSorted()).toEqual(['accepted', 'refused invalid_state']);
    const loser = pages[outcomes.indexOf('refused invalid_state')] as Page;
    expect(service.call?.deviceId).not.toBe(
      await loser.evaluate(() => (window as AgentWindow).agent.deviceId),
    );
    await logged(loser, 'withdrawn 1 ANSWERED_ELSEWHERE');
    await expect.poll(() => microphones(loser)).not.toContain('live');
    await isHeard();
    await device.close();
  });
});
