import { boardCalls } from '@clarion/core/call-engine/board';
import { putQueueMembers } from '@clarion/core/queue/put-members';
import { reportLive } from '@clarion/core/report/live-report';
import { putAgent } from '@clarion/core/agent/put-agent';
import { putTenant } from '@clarion/core/tenant/put-tenant';
import type { Agent, Channel, Queue } from '@clarion/db';
import type { BoardCall, QueueCounters, ServerMessages } from '@clarion/protocol/socket';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { apiOf } from './api.ts';
import type { AppSocket } from './app-socket.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let nodes: (Realtime & { url: string })[];
let media: FakeMedia;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  nodes = [await fixture.startNode(), await fixture.startNode()];
  media = await fixture.media(nodes);
});
afterAll(() => fixture.close());

const nodeAt = (index: number) => nodes[index % nodes.length] ?? raise('there is no node');
const raise = (message: string): never => {
  throw new Error(message);
};

/** A board as an app must build it: the newest version counts, and removed calls stay removed. */
class BoardApp {
  readonly app: AppSocket;
  readonly calls = new Map<number, BoardCall>();
  readonly #removed = new Set<number>();
  queues: QueueCounters[] = [];
  messages = 0;

  constructor(app: AppSocket) {
    this.app = app;
    app.socket.on('board:call', (change: ServerMessages['board:call']) => {
      this.messages += 1;
      if ('removed' in change) {
        this.#removed.add(change.removed);
        this.calls.delete(change.removed);
      } else this.#take(change.call);
    });
    app.socket.on('board:counters', ({ queues }: ServerMessages['board:counters']) => (this.queues = queues));
  }

  async subscribe(): Promise<this> {
    const { calls, queues } = await this.app.ask('board:subscribe', {});
    for (const call of calls) this.#take(call);
    this.queues = queues;
    return this;
  }

  #take(call: BoardCall): void {
    if (this.#removed.has(call.callId) || (this.calls.get(call.callId)?.version ?? -1) > call.version) return;
    this.calls.set(call.callId, call);
  }

  get sorted(): BoardCall[] {
    return [...this.calls.values()].toSorted((a, b) => a.callId - b.callId);
  }
}

const supervisor = async (ref: string, index = 0): Promise<BoardApp> => {
  await fixture.db.agent.upsert({
    where: { tenantId_ref: { tenantId: fixture.tenant.id, ref } },
    create: { tenantId: fixture.tenant.id, ref, name: ref, role: 'SUPERVISOR' },
    update: {},
  });
  return new BoardApp(await fixture.app(nodeAt(index), ref, ref));
};

/** Well before the next periodic read. */
const AT_REST_WITHIN_MS = 2_000;

/** The rows as the API reads them, next to what the app shows. */
async function expectTrue(board: BoardApp, withinMs = Infinity): Promise<void> {
  const since = performance.now();
  const shown = () => ({ calls: board.sorted, queues: board.queues.map(withoutSince) });
  const rows = async () => {
    const { queues } = await reportLive(apiOf(fixture), fixture.tenant.ref);
    return {
      calls: await boardCalls(fixture.db, fixture.tenant.id),
      queues: queues.map(({ longestWaitSeconds, ...queue }) => ({
        ...queue,
        isWaited: longestWaitSeconds !== null,
      })),
    };
  };
  await fixture
    .until(
      async () => (JSON.stringify(shown()) === JSON.stringify(await rows()) ? true : undefined),
      'the board',
    )
    .catch(async () => expect(shown()).toEqual(await rows()));
  expect(performance.now() - since).toBeLessThan(withinMs);
}
const withoutSince = ({ longestWaitingSince, queueId, ref, name, waiting, agents }: QueueCounters) => ({
  queueId,
  ref,
  name,
  waiting,
  agents,
  isWaited: longestWaitingSince !== null,
});

const invite = async (line: Channel) => {
  const { answer, question } = await media.invite({ requestUser: line.address.slice(1) });
  return answer.action === 'accept' ? { callId: answer.callId, legId: question.legId } : null;
};

describe('the board', () => {
  test('shows a call from its arrival to its end, each change immediately, with its monitors', async () => {
    const agent = await fixture.agent('first', { shift: 'AVAILABLE' });
    const queue = await fixture.queue([agent], { wrapUpSeconds: 0 });
    const line = await fixture.line({ inboundQueueId: queue.id });
    const board = await (await supervisor('watcher')).subscribe();
    const call = (await invite(line)) ?? raise('refused');
    const next = (fits: (shown: BoardCall) => boolean) =>
      board.app.next(
        'board:call',
        (change) => 'call' in change && change.call.callId === call.callId && fits(change.call),
      );
    await next(({ state, queue: at }) => state === 'waiting' && at?.queueId === queue.id);
    await board.app.next('board:counters', ({ queues }) =>
      queues.some((q) => q.queueId === queue.id && q.waiting === 1),
    );
    const app = await fixture.app(nodeAt(1), 'first');
    await next(({ state, agent: at }) => state === 'ringing' && at?.agentId === agent.id);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId: call.callId, sdpOffer: 'offer' });
    await next(
      ({ state, answeredAt, waitingSince }) =>
        state === 'active' && answeredAt !== null && waitingSince === null,
    );
    await board.app.next('board:counters', ({ queues }) =>
      queues.some((q) => q.queueId === queue.id && q.waiting === 0 && q.agents.onCall === 1),
    );
    await app.ask('call:hold', { callId: call.callId, held: true });
    await next(({ held }) => held);
    await board.app.ask('monitor:start', { callId: call.callId, sdpOffer: 'ears', mode: 'LISTEN' });
    await next(({ monitors }) => monitors.some(({ name, mode }) => name === 'watcher' && mode === 'LISTEN'));
    await app.ask('call:hangup', { callId: call.callId });
    await board.app.next('board:call', (change) => 'removed' in change && change.removed === call.callId);
    await expectTrue(board);
    app.close();
    board.app.close();
  });

  test('sends nothing more after an unsubscription', async () => {
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([])).id });
    const board = await (await supervisor('leaver')).subscribe();
    const stays = await (await supervisor('stayer')).subscribe();
    await board.app.ask('board:unsubscribe', {});
    const before = board.messages;
    const call = (await invite(line)) ?? raise('refused');
    await stays.app.next('board:call', (change) => 'call' in change && change.call.callId === call.callId);
    await fixture.terminate(call.callId);
    await stays.app.next('board:call', (change) => 'removed' in change && change.removed === call.callId);
    expect(board.messages).toBe(before);
    board.app.close();
    stays.app.close();
  });

  test('is shown to agents if the tenant has team_view enabled, and always to supervisors', async () => {
    const settings = (teamView: boolean) =>
      putTenant(apiOf(fixture), fixture.tenant.ref, {
        name: 'One',
        status: 'ACTIVE',
        settings: { teamView },
      });
    await fixture.agent('plain');
    const app = await fixture.app(nodeAt(0), 'plain');
    await app.ask('board:subscribe', {});
    await settings(false);
    expect(await app.next('board:ended')).toEqual({ reason: 'NOT_ALLOWED' });
    await expect(app.ask('board:subscribe', {})).rejects.toThrow('forbidden');
    const board = await (await supervisor('chief')).subscribe();
    await putAgent(apiOf(fixture), fixture.tenant.ref, 'chief', { name: 'chief', role: 'AGENT' });
    expect(await board.app.next('board:ended')).toEqual({ reason: 'NOT_ALLOWED' });
    await settings(true);
    app.close();
    board.app.close();
  });
});

describe('under load', () => {
  /** Random changes, several at a time, on both nodes and from the API. */
  const CHANGES = 300;
  const AT_ONCE = 6;

  test('two early boards, one on each node, and a late one match the rows when nothing changes any more', async () => {
    const agents: Agent[] = [];
    const apps: AppSocket[] = [];
    for (let index = 0; index < 5; index += 1) {
      agents.push(await fixture.agent(`load-${index}`, { shift: 'AVAILABLE' }));
      apps.push(await fixture.app(nodeAt(index), `load-${index}`));
    }
    const queues: Queue[] = [
      await fixture.queue(agents.slice(0, 3), { wrapUpSeconds: 0 }),
      await fixture.queue(agents.slice(2), { wrapUpSeconds: 0, strategy: 'RING_ALL' }),
    ];
    const lines: Channel[] = [];
    for (const queue of queues) lines.push(await fixture.line({ inboundQueueId: queue.id }));
    lines.push(await fixture.line({ ownerAgentId: agents[0]?.id ?? 0 }));
    const boards = [
      await (await supervisor('early-0', 0)).subscribe(),
      await (await supervisor('early-1', 1)).subscribe(),
    ];
    const calls: { callId: number; legId: string }[] = [];

    const pick = <T>(list: readonly T[], seed: number): T | undefined => list[seed % list.length];
    const change = async (kind: number, seed: number): Promise<void> => {
      const app = pick(apps, seed);
      const agent = pick(agents, seed);
      const call = pick(calls, seed);
      // The socket may be closed by another change meanwhile.
      const ask = (...args: Parameters<AppSocket['send']>) =>
        app?.socket.connected && app.send(...args).catch(() => undefined);
      const held = app?.received.findLast(({ name }) => name === 'call:incoming' || name === 'call:updated');
      const callId = (held?.payload as ServerMessages['call:updated'] | undefined)?.call.callId ?? 0;
      if (kind < 4) {
        const line = pick(lines, seed);
        const begun = line && (await invite(line));
        if (begun) calls.push(begun);
      } else if (kind < 7) await ask('call:accept', { callId, sdpOffer: 'offer' });
      else if (kind === 7) await ask('call:decline', { callId });
      else if (kind === 8) await ask('call:hold', { callId, held: seed % 2 === 0 });
      else if (kind === 9) await ask('call:hangup', { callId });
      else if (kind === 10) await ask('availability:set', { status: seed % 2 ? 'AVAILABLE' : 'OFFLINE' });
      else if (kind === 11 && call) await fixture.terminate(call.callId);
      else if (kind === 12 && call && media.legs.has(call.legId))
        media.ended(call.callId, call.legId, legEndOf('remote-bye'));
      else if (kind === 13)
        await pick(boards, seed)
          ?.app.send('monitor:start', { callId, sdpOffer: 'ears', mode: 'LISTEN' })
          .catch(() => undefined); // a late reply does not matter here, only what the boards show
      else if (kind === 14 && agent) {
        const index = agents.indexOf(agent);
        apps[index]?.close();
        apps[index] = await fixture.app(nodeAt(seed), agent.ref);
      } else if (kind === 15) {
        const queue = pick(queues, seed);
        const members = agents.filter((_, index) => (seed >> index) % 2 === 0);
        if (queue) {
          await putQueueMembers(apiOf(fixture), fixture.tenant.ref, queue.ref, {
            members: members.map(({ ref }, priority) => ({
              agentRef: ref,
              priority: priority + 1,
              skills: [],
            })),
          });
        }
      }
    };
    const changes = fc.sample(fc.tuple(fc.nat({ max: 15 }), fc.nat({ max: 1_000_000 })), {
      numRuns: CHANGES,
      seed: 20,
    });
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = changes.pop(); next; next = changes.pop()) await change(...next);
      }),
    );
    const late = await (await supervisor('late', 1)).subscribe();
    for (const board of [...boards, late]) await expectTrue(board, AT_REST_WITHIN_MS);
    expect(calls.length).toBeGreaterThan(20);
    expect(boards[0]?.messages).toBeGreaterThan(50);

    // Every database connection is closed, as in a restart: missed changes are read again.
    await fixture.cutConnections().catch(() => undefined);
    const [first] = boards[0]?.sorted ?? [];
    await fixture.until(
      () =>
        fixture.terminate(first?.callId ?? 0).then(
          () => true,
          () => undefined,
        ),
      'the database',
    );
    for (const board of [...boards, late]) await expectTrue(board);
    const live = await fixture.db.liveCall.findMany({ select: { callId: true } });
    await Promise.all(live.map(({ callId }) => fixture.terminate(callId)));
    for (const board of [...boards, late]) {
      await expectTrue(board, AT_REST_WITHIN_MS);
      expect(board.calls.size).toBe(0);
      board.app.close();
    }
    for (const app of apps) app.close();
  }, 60_000);
});
