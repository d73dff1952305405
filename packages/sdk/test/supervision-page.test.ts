import type { BoardCall } from '@clarion/protocol/socket';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type * as Clarion from '../src/browser/index.ts';
import { logged, microphones, type AgentWindow } from './agent-tab.ts';
import { openAgent, service, useBrowserFixture } from './browser-fixture.ts';

type SupervisorWindow = AgentWindow & {
  board: Clarion.Board;
  monitor: Clarion.Monitor;
};

useBrowserFixture();

const listen = (page: Page, callId = 1) =>
  page.evaluate(async (id) => {
    const tab = window as SupervisorWindow;
    const monitor = await tab.agent.monitor(id);
    tab.monitor = monitor;
    tab.log.push(`state ${monitor.state}`);
    monitor.on('state', (state) => tab.log.push(`state ${state}`));
    monitor.on('mode', (mode) => tab.log.push(`mode ${mode}`));
    monitor.on('ended', (reason) => tab.log.push(`ended ${reason}`));
  }, callId);
const setMode = (page: Page, mode: Clarion.MonitorMode) =>
  page.evaluate((wanted) => (window as SupervisorWindow).monitor.setMode(wanted), mode);
const offers = () => service.received.filter(({ message }) => message === 'monitor:start').length;

describe('monitoring', () => {
  test('does not use the microphone while listening, and does while whispering, over the same connection', async () => {
    const page = await openAgent();
    await listen(page);
    await logged(page, 'state active');
    expect(await microphones(page)).toEqual([]);
    expect(await page.evaluate(() => (window as SupervisorWindow).monitor.remoteStream?.active)).toBe(true);
    expect(await service.heardEnergy()).toBe(0);

    await setMode(page, 'whisper');
    await logged(page, 'mode whisper');
    expect(await microphones(page)).toEqual(['live']);
    await expect.poll(() => service.heardEnergy(), { timeout: 10_000 }).toBeGreaterThan(0);
    await setMode(page, 'listen');
    expect(await microphones(page)).toEqual(['ended']);
    await setMode(page, 'barge');
    expect(await microphones(page)).toEqual(['ended', 'live']);
    expect(offers()).toBe(1);

    await page.evaluate(() => (window as SupervisorWindow).monitor.stop());
    await service.next('monitor:stop');
    expect(await microphones(page)).toEqual(['ended', 'ended']);
    await logged(page, 'ended STOPPED');
  });

  test('falls back to listening, and ends, when the service requires it', async () => {
    const page = await openAgent();
    await listen(page);
    await setMode(page, 'barge');
    const [{ callId, monitorId } = { callId: 0, monitorId: '' }] = service.monitors;
    service.say('monitor:updated', { callId, monitorId: 'another', mode: 'WHISPER' });
    service.say('monitor:updated', { callId, monitorId, mode: 'LISTEN' });
    await logged(page, 'mode listen');
    await expect.poll(() => microphones(page)).toEqual(['ended']);
    service.say('monitor:ended', { callId, monitorId: 'another', reason: 'CALL_ENDED' });
    service.say('monitor:ended', { callId, monitorId, reason: 'NOT_ALLOWED' });
    await logged(page, 'ended NOT_ALLOWED');
  });

  test('continues after a reconnection, and restarts if the service considered the device disconnected', async () => {
    const page = await openAgent();
    await listen(page);
    await logged(page, 'state active');
    service.drop();
    await expect.poll(() => service.tokens.length, { timeout: 10_000 }).toBe(2);
    await page.evaluate(() => (window as SupervisorWindow).agent.resync());
    expect(offers()).toBe(1);

    service.monitors = [];
    service.drop();
    await expect.poll(offers, { timeout: 10_000 }).toBe(2);
    await logged(page, 'state active', 2);
    expect(service.monitors).toMatchObject([{ callId: 1, mode: 'LISTEN' }]);
  });

  test('in another tab replaces the monitor in this tab', async () => {
    const [first, second] = [await openAgent(), await openAgent()];
    await listen(first);
    await listen(second, 2);
    await logged(first, 'ended REPLACED');
    await logged(second, 'state active');
    expect(service.monitors).toMatchObject([{ callId: 2 }]);
  });
});

const aCall = (callId: number, version: number): BoardCall => ({
  callId,
  direction: 'INBOUND',
  state: 'active',
  customer: { address: null, addressWithheld: false, name: null },
  channelRef: 'main',
  channelType: 'SIP',
  channelName: null,
  queue: null,
  agent: null,
  held: false,
  recording: 'OFF',
  monitors: [],
  createdAt: '2026-01-01T10:00:00.000Z',
  waitingSince: null,
  answeredAt: null,
  version,
});
const subscribe = (page: Page) =>
  page.evaluate(async () => {
    const tab = window as SupervisorWindow;
    tab.board = await tab.agent.subscribeBoard();
  });
const shown = (page: Page) =>
  page.evaluate(() =>
    (window as SupervisorWindow).board.calls.map(({ callId, version }) => [callId, version]),
  );

describe('the board', () => {
  test('starts with the current state, follows changes, and is complete again after a reconnection', async () => {
    service.board = [aCall(1, 4), aCall(2, 1)];
    const page = await openAgent();
    await subscribe(page);
    expect(await shown(page)).toEqual([
      [1, 4],
      [2, 1],
    ]);
    service.say('board:call', { call: aCall(1, 3) });
    service.say('board:call', { call: aCall(2, 2) });
    service.say('board:call', { removed: 1 });
    service.say('board:counters', { queues: [] });
    await logged(page, 'counters 0', 2);
    expect(await shown(page)).toEqual([[2, 2]]);

    service.board = [aCall(3, 0)];
    service.drop();
    await logged(page, 'call 3 v0');
    expect(await shown(page)).toEqual([[3, 0]]);
    await logged(page, 'removed 2');
  });

  test('stays when another tab unsubscribes, and ends when the service requires it', async () => {
    service.board = [aCall(1, 1)];
    const [first, second] = [await openAgent(), await openAgent()];
    await subscribe(first);
    await subscribe(second);
    service.forget();
    await first.evaluate(() => (window as SupervisorWindow).board.unsubscribe());
    await service.next('board:subscribe');
    service.say('board:call', { call: aCall(1, 2) });
    await logged(second, 'call 1 v2');
    expect(await shown(first)).toEqual([[1, 1]]);
    service.say('board:ended', { reason: 'NOT_ALLOWED' });
    await expect.poll(() => second.evaluate(() => (window as SupervisorWindow).board.active)).toBe(false);
  });
});
