/** WhatsApp calls while several realtime nodes run, and while nodes, notifications and media are lost. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MASTER_KEY, MEDIA_SECRET } from './fixture.ts';
import { WhatsAppScene } from './whatsapp-scene.ts';

/** Longer than a heartbeat, the 6 s until a node is dead, and a round of housekeeping. */
const SLOW_MS = 45_000;
const mainFile = fileURLToPath(new URL('../src/main.ts', import.meta.url));

let scene: WhatsAppScene;
let fixture: WhatsAppScene['fixture'];
const children = new Set<ChildProcess>();

beforeEach(async () => {
  scene = await WhatsAppScene.open();
  ({ fixture } = scene);
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await scene.close();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return address.port;
}

/** A separate realtime process, so that it can be killed. */
async function startProcess(): Promise<{ url: string; kill: () => Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, [mainFile], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: fixture.databaseUrl,
      CLARION_PRODUCTION: '0',
      CLARION_ALLOW_PRIVATE_EGRESS: '1',
      CLARION_GRAPH_URL: scene.meta.url,
      CLARION_REALTIME_PORT: String(port),
      CLARION_REALTIME_METRICS_PORT: '0',
      CLARION_MASTER_KEY: MASTER_KEY,
      CLARION_MEDIA_SECRET: MEDIA_SECRET,
      CLARION_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  children.add(child);
  const url = `http://127.0.0.1:${port}`;
  await fixture.until(async () => {
    const response = await fetch(`${url}/healthz`).catch(() => undefined);
    return response?.ok ? true : undefined;
  }, 'realtime to be healthy');
  return {
    url,
    async kill() {
      children.delete(child);
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

const waitingLine = async () => scene.line({ inboundQueueId: (await fixture.queue([])).id });

test('two nodes that are notified repeatedly make one call and accept it once', async () => {
  const nodes = [await scene.startNode(), await scene.startNode()];
  const media = await fixture.media(nodes);
  const line = await waitingLine();
  for (let round = 0; round < 3; round += 1) {
    const before = scene.lastSeq;
    const placed = await scene.ring(line);
    const { id: eventId } = await fixture.until(
      async () =>
        (await fixture.db.whatsAppEvent.findFirst({ where: { whatsAppCallId: placed.id } })) ?? undefined,
      'the webhook',
    );
    for (let count = 0; count < 5; count += 1)
      await fixture.db.$executeRaw`select pg_notify('clarion_whatsapp', ${String(eventId)})`;
    const { id: callId } = await scene.callOf(placed);
    await media.command('whatsapp:open', callId);
    await fixture.terminate(callId);
    await scene.reaches(placed, 'ended');
    expect(await fixture.db.call.count({ where: { customerAddress: `+${placed.customer}` } })).toBe(1);
    expect(scene.requests('accept', before)).toBe(1);
  }
});

test('a webhook that was stored while no node ran is found by the next one', async () => {
  const line = await waitingLine();
  const placed = await scene.ring(line);
  await fixture.until(
    async () => (await fixture.db.whatsAppEvent.count({ where: { whatsAppCallId: placed.id } })) || undefined,
    'the webhook',
  );
  const node = await scene.startNode();
  await fixture.media([node]);
  await scene.reaches(placed, 'accepted');
  await fixture.terminate((await scene.callOf(placed)).id);
  await scene.reaches(placed, 'ended');
});

test(
  'a node is killed while Meta places its call: another node continues the call, and the customer is called once',
  async () => {
    const doomed = await startProcess();
    const survivor = await scene.startNode();
    const media = await fixture.media([doomed, survivor]);
    const agent = await fixture.agent('anna');
    const customer = scene.customer({ onCall: 'answer' });
    const { id: callId } = await scene.intent(agent, await scene.line(), customer);
    scene.meta.control.addGraphFault({ kind: 'slow', on: 'connect', times: 1, delayMs: 1_000 });
    const app = await fixture.app(doomed, agent.ref);
    await app.ask('call:start', { callId, sdpOffer: 'offer' });
    // Meta has received the request, and carries it out a second later.
    await fixture.until(
      async () => scene.meta.control.graphFaults().length === 0 || undefined,
      'the connect request',
    );
    await doomed.kill();
    const returned = await fixture.app(survivor, agent.ref);
    await media.command('whatsapp:open', callId);
    await returned.next('call:updated', ({ call }) => call.state === 'active');
    await returned.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
    });
    expect(await scene.reaches(await scene.placedTo(customer), 'ended')).toMatchObject({
      endedBy: 'business',
    });
    expect(scene.requests('connect')).toBe(1);
    returned.close();
  },
  SLOW_MS,
);

test(
  'a lost media node ends its call, also at Meta',
  async () => {
    const node = await scene.startNode();
    const media = await fixture.media([node]);
    const placed = await scene.ring(await waitingLine());
    const { id: callId } = await scene.callOf(placed);
    await scene.reaches(placed, 'accepted');
    media.close();
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'FAILED',
      terminationReason: 'SYSTEM_ERROR',
    });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
  },
  SLOW_MS,
);

test('a media node that reconnects without the customer ends the call, also at Meta', async () => {
  const node = await scene.startNode();
  const media = await fixture.media([node]);
  const placed = await scene.ring(await waitingLine());
  const { id: callId } = await scene.callOf(placed);
  const { legId } = await media.command('whatsapp:open', callId);
  await scene.reaches(placed, 'accepted');
  media.legs.delete(legId);
  media.reconnect();
  expect(await fixture.ended(callId)).toMatchObject({ status: 'FAILED', terminationReason: 'SYSTEM_ERROR' });
  expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
});

test('metrics count calls and requests, and the log contains no token, SDP or customer', async () => {
  let log = '';
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      log += chunk.toString();
      done();
    },
  });
  const node = await scene.startNode({}, pino({ level: 'trace' }, stream));
  const media = await fixture.media([node]);
  const agent = await fixture.agent('anna');
  const app = await fixture.app(node, agent.ref);
  const line = await waitingLine();

  const placed = await scene.ring(line);
  const { id: inbound } = await scene.callOf(placed);
  await media.command('whatsapp:open', inbound);
  await fixture.terminate(inbound);
  await scene.reaches(placed, 'ended');

  const customer = scene.customer();
  const { id: refused } = await scene.intent(agent, line, customer, false);
  await app.ask('call:start', { callId: refused, sdpOffer: 'offer' });
  await fixture.ended(refused);

  const metrics = await (await fetch(`http://127.0.0.1:${node.metricsPort}/metrics`)).text();
  expect(metrics).toContain('clarion_whatsapp_inbound_calls_total{result="created"} 1');
  expect(metrics).toContain('clarion_whatsapp_requests_total{action="accept",result="ok"} 1');
  expect(metrics).toContain('clarion_whatsapp_requests_total{action="connect",result="refused"} 1');
  expect(log).toContain('WhatsApp call arrived');
  expect(log).toContain('WhatsApp refused a request');
  for (const secret of [scene.accessToken, 'a=ice', placed.customer, placed.id, customer])
    expect(log).not.toContain(secret);
  app.close();
});
