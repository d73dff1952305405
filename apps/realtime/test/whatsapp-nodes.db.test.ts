/** WhatsApp calls while several realtime nodes run, and while nodes, notifications and media are lost. */
import { Writable } from 'node:stream';
import { takeCallEvents } from '@clarion/core/whatsapp/whatsapp-call';
import { pino } from 'pino';
import { expect, test as base } from 'vitest';
import { createDeps } from '../src/create-deps.ts';
import { readEnv } from '../src/env.ts';
import { MediaNodes } from '../src/media/nodes.ts';
import { applyEvents } from '../src/whatsapp/apply-events.ts';
import { MASTER_KEY, MEDIA_SECRET } from './fixture.ts';
import { WhatsAppScene } from './whatsapp-scene.ts';

/** Longer than a heartbeat, the 6 s until a node is dead, and a round of housekeeping. */
const SLOW_MS = 45_000;

/** The tests run concurrently, each with a database and a simulator of its own: most of their time is waiting. */
const test = base.extend<{ scene: WhatsAppScene }>({
  scene: async ({ onTestFinished }, use) => {
    const scene = await WhatsAppScene.open();
    onTestFinished(() => scene.close());
    await use(scene);
  },
});

/** The first stored event of the call. */
const webhookOf = ({ fixture }: WhatsAppScene, { id }: { id: string }) =>
  fixture.until(
    async () => (await fixture.db.whatsAppEvent.findFirst({ where: { whatsAppCallId: id } })) ?? undefined,
    'the webhook',
  );

const waitingLine = async (scene: WhatsAppScene) =>
  scene.line({ inboundQueueId: (await scene.fixture.queue([])).id });

test.concurrent(
  'two nodes that are notified repeatedly make one call and accept it once',
  async ({ scene }) => {
    const { fixture } = scene;
    const nodes = [await scene.startNode(), await scene.startNode()];
    const media = await fixture.media(nodes);
    const line = await waitingLine(scene);
    for (let round = 0; round < 3; round += 1) {
      const before = scene.lastSeq;
      const placed = await scene.ring(line);
      const { id: eventId } = await webhookOf(scene, placed);
      for (let count = 0; count < 5; count += 1)
        await fixture.db.$executeRaw`select pg_notify('clarion_whatsapp', ${String(eventId)})`;
      const { id: callId } = await scene.callOf(placed);
      await media.command('whatsapp:open', callId);
      await fixture.terminate(callId);
      await scene.reaches(placed, 'ended');
      expect(await fixture.db.call.count({ where: { customerAddress: `+${placed.customer}` } })).toBe(1);
      expect(scene.requests('accept', before)).toBe(1);
    }
  },
);

test.concurrent('a webhook that was stored while no node ran is found by the next one', async ({ scene }) => {
  const { fixture } = scene;
  const line = await waitingLine(scene);
  const placed = await scene.ring(line);
  await webhookOf(scene, placed);
  const node = await scene.startNode();
  await fixture.media([node]);
  await scene.reaches(placed, 'accepted');
  await fixture.terminate((await scene.callOf(placed)).id);
  await scene.reaches(placed, 'ended');
});

test.concurrent(
  'a node that is overloaded, or has no media node, leaves the call to another one',
  async ({ scene }) => {
    const { fixture } = scene;
    const log = pino({ level: 'silent' });
    const { deps } = createDeps(
      readEnv({
        DATABASE_URL: fixture.databaseUrl,
        CLARION_MASTER_KEY: MASTER_KEY,
        CLARION_MEDIA_SECRET: MEDIA_SECRET,
      }),
      log,
      () => false,
    );
    const line = await waitingLine(scene);
    const placed = await scene.ring(line);
    await webhookOf(scene, placed);
    const call = { channelId: line.id, whatsAppCallId: placed.id };
    const take = (overload: string | null) =>
      deps.db.$transaction(async (tx) => {
        const load = { overload, eventLoopDelayMs: 0 };
        const taken = await takeCallEvents(tx, call, deps.now());
        return applyEvents(tx, { deps, nodes: new MediaNodes(log), load }, call, taken);
      });
    await expect(take('database')).rejects.toThrow('overloaded');
    await expect(take(null)).rejects.toThrow('no media node');
    await fixture.media([await scene.startNode()]);
    await scene.reaches(placed, 'accepted');
    await deps.egress.close();
    await deps.db.$disconnect();
  },
);

test.concurrent(
  'a node is killed while Meta places its call: another node continues the call, and the customer is called once',
  async ({ scene }) => {
    const { fixture } = scene;
    const doomed = await fixture.startProcess({
      env: {
        CLARION_PRODUCTION: '0',
        CLARION_ALLOW_PRIVATE_EGRESS: '1',
        CLARION_GRAPH_URL: scene.meta.url,
      },
    });
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

test.concurrent(
  'a lost media node ends its call, also at Meta',
  async ({ scene }) => {
    const { fixture } = scene;
    const node = await scene.startNode();
    const media = await fixture.media([node]);
    const placed = await scene.ring(await waitingLine(scene));
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

test.concurrent(
  'a media node that reconnects without the customer ends the call, also at Meta',
  async ({ scene }) => {
    const { fixture } = scene;
    const node = await scene.startNode();
    const media = await fixture.media([node]);
    const placed = await scene.ring(await waitingLine(scene));
    const { id: callId } = await scene.callOf(placed);
    const { legId } = await media.command('whatsapp:open', callId);
    await scene.reaches(placed, 'accepted');
    media.legs.delete(legId);
    media.reconnect();
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'FAILED',
      terminationReason: 'SYSTEM_ERROR',
    });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
  },
);

test.concurrent(
  'metrics count calls and requests, and the log contains no token, SDP or customer',
  async ({ scene }) => {
    const { fixture } = scene;
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
    const line = await waitingLine(scene);

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
  },
);
