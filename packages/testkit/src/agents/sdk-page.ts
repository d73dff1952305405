/**
 * A minimal web page of a consumer in Chromium: on another origin than the service, with `/sdk.js` from the service and one agent
 * connected. Tests control it only through the SDK's public interface.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext } from 'playwright-core';
import type { BoardCall, QueueCounters } from '@clarion/protocol/socket';
import type { BrowserPage, TestBrowser } from './browser.ts';

const WAIT_MS = 10_000;

/** The SDK's names of the modes. */
export type MonitorMode = 'listen' | 'whisper' | 'barge';

interface SdkEvent {
  name: string;
  state?: string;
  callId: number;
  reason?: string;
}

declare global {
  interface Window {
    /** What the page records for the test; created by `PAGE`. */
    clarionTest: {
      events: SdkEvent[];
      error: string | null;
      connected: boolean;
      run(callId: number | null, method: string, argument: unknown): Promise<unknown>;
      supervise(method: string, argument: unknown): Promise<unknown>;
    };
  }
}

const PAGE = (baseUrl: string) => `<!doctype html><meta charset="utf-8"><title>agent</title>
<script src="${baseUrl}/sdk.js"></script>
<script>
const query = new URLSearchParams(location.search);
const test = (window.clarionTest = { events: [], error: null, connected: false });
const live = new Map();
let agent;
const note = (name, more) => test.events.push({ name, ...more });
const keep = (call) => { live.set(call.callId ?? call.id, call); return call.callId ?? call.id; };
test.run = async (callId, method, argument) => {
  if (callId === null) {
    const result = await agent[method](argument);
    if (method === 'startOutbound') keep(result);
    return null;
  }
  await live.get(callId)[method](argument);
  return null;
};
let monitor, board;
test.supervise = async (method, argument) => {
  switch (method) {
    case 'monitor': {
      const { callId, mode } = argument;
      monitor = await agent.monitor(callId, { mode });
      monitor.on('mode', (mode) => note('monitorMode', { state: mode, callId }));
      monitor.on('ended', (reason) => note('monitorEnded', { reason, callId }));
      return null;
    }
    case 'subscribeBoard':
      board = await agent.subscribeBoard();
      return null;
    case 'board':
      return { calls: board.calls, queues: board.queues, active: board.active };
    default:
      await (method === 'unsubscribe' ? board : monitor)[method](argument);
      return null;
  }
};
Clarion.connect({
  url: '${baseUrl}',
  getToken: async () => (await fetch('/token?agent=' + query.get('agent'))).text(),
  ...(query.get('device') ? { deviceId: query.get('device') } : {}),
}).then((connected) => {
  agent = connected;
  for (const call of Object.values(agent.calls ?? {})) keep(call);
  agent.on('incoming', (call) => note('incoming', { callId: keep(call) }));
  agent.on('withdrawn', (call, reason) => note('withdrawn', { callId: keep(call), reason }));
  agent.on('state', (state, call) => note('state', { state, callId: keep(call) }));
  agent.on('remoteStream', (stream, call) => {
    note('remoteStream', { callId: keep(call) });
    const player = new Audio();
    player.srcObject = stream;
    player.play();
  });
  agent.on('connection', (state) => note('connection', { state }));
  test.connected = true;
}, (error) => { test.error = String(error && error.message || error); });
</script>`;

/** Serves the page and agent tokens; one per stack. */
export class SdkSite {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(baseUrl: string, token: (agentRef: string) => string): Promise<SdkSite> {
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://site');
      if (url.pathname === '/token') response.end(token(url.searchParams.get('agent') ?? ''));
      else response.setHeader('content-type', 'text/html').end(PAGE(baseUrl));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SdkSite(server);
  }

  async agent(
    browser: TestBrowser,
    agentRef: string,
    options: { device?: string; context?: BrowserContext } = {},
  ): Promise<SdkAgent> {
    const device = options.device ? `&device=${options.device}` : '';
    const context = options.context ? { context: options.context } : {};
    const agent = new SdkAgent(await browser.open(`${this.url}/?agent=${agentRef}${device}`, context));
    await agent.connected();
    return agent;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

export class SdkAgent {
  readonly browserPage: BrowserPage;

  constructor(browserPage: BrowserPage) {
    this.browserPage = browserPage;
  }

  async connected(): Promise<void> {
    const { page, log } = this.browserPage;
    const settled = () => {
      return window.clarionTest.connected || window.clarionTest.error !== null;
    };
    await page.waitForFunction(settled, undefined, { timeout: WAIT_MS }).catch(() => {
      throw new Error(`the SDK did not connect\n${log.join('\n')}`);
    });
    const error = await page.evaluate(() => window.clarionTest.error);
    if (error !== null) throw new Error(`the SDK refused: ${error}\n${log.join('\n')}`);
  }

  setAvailability(status: 'AVAILABLE' | 'OFFLINE'): Promise<void> {
    return this.#run(null, 'setAvailability', status);
  }
  startOutbound(callId: number): Promise<void> {
    return this.#run(null, 'startOutbound', callId);
  }
  accept(callId: number): Promise<void> {
    return this.#run(callId, 'accept');
  }
  decline(callId: number): Promise<void> {
    return this.#run(callId, 'decline');
  }
  hangup(callId: number): Promise<void> {
    return this.#run(callId, 'hangup');
  }
  mute(callId: number, on: boolean): Promise<void> {
    return this.#run(callId, 'mute', on);
  }
  hold(callId: number, on: boolean): Promise<void> {
    return this.#run(callId, 'hold', on);
  }
  pauseRecording(callId: number): Promise<void> {
    return this.#run(callId, 'pauseRecording');
  }
  resumeRecording(callId: number): Promise<void> {
    return this.#run(callId, 'resumeRecording');
  }
  transfer(callId: number, to: { agentId: number } | { queueId: number }): Promise<void> {
    return this.#run(callId, 'transfer', to);
  }
  cancelTransfer(callId: number): Promise<void> {
    return this.#run(callId, 'cancelTransfer');
  }
  sendDigits(callId: number, digits: string): Promise<void> {
    return this.#run(callId, 'sendDigits', digits);
  }

  /** Monitors a call. Its events are `monitorMode` and `monitorEnded`. */
  async monitor(callId: number, mode: MonitorMode = 'listen'): Promise<void> {
    await this.#supervise('monitor', { callId, mode });
  }
  async setMode(mode: MonitorMode): Promise<void> {
    await this.#supervise('setMode', mode);
  }
  async stopMonitor(): Promise<void> {
    await this.#supervise('stop');
  }
  async subscribeBoard(): Promise<void> {
    await this.#supervise('subscribeBoard');
  }
  async unsubscribeBoard(): Promise<void> {
    await this.#supervise('unsubscribe');
  }
  /** The SDK's copy of the board. */
  async board(): Promise<{ calls: BoardCall[]; queues: QueueCounters[]; active: boolean }> {
    return (await this.#supervise('board')) as Awaited<ReturnType<SdkAgent['board']>>;
  }

  /**
   * Begins to wait for an event: await this before what causes the event, which may otherwise arrive before the page has been asked. The
   * function that it resolves with waits for the first event with this name (and state) since then.
   */
  async watchFor(
    name: string,
    { state, timeoutMs = WAIT_MS }: { state?: string; timeoutMs?: number } = {},
  ): Promise<() => Promise<SdkEvent>> {
    const { page, log } = this.browserPage;
    const after = await page.evaluate(() => window.clarionTest.events.length);
    const find = (wanted: { name: string; state: string | undefined; after: number }) =>
      window.clarionTest.events
        .slice(wanted.after)
        .find(
          (event) =>
            event.name === wanted.name && (wanted.state === undefined || event.state === wanted.state),
        );
    return async () => {
      const found = await page
        .waitForFunction(find, { name, state, after }, { timeout: timeoutMs })
        .catch(async () => {
          const events = await page.evaluate((since) => window.clarionTest.events.slice(since), after);
          throw new Error(`no ${name} ${state ?? ''} among ${JSON.stringify(events)}\n${log.join('\n')}`);
        });
      const event = await found.jsonValue();
      if (!event) throw new Error(`no ${name}`);
      return event;
    };
  }

  #supervise(method: string, argument?: unknown): Promise<unknown> {
    return this.browserPage.page.evaluate(([name, value]) => window.clarionTest.supervise(name, value), [
      method,
      argument,
    ] as const);
  }

  async #run(callId: number | null, method: string, argument?: unknown): Promise<void> {
    await this.browserPage.page.evaluate(([id, name, value]) => window.clarionTest.run(id, name, value), [
      callId,
      method,
      argument,
    ] as const);
  }
}
