/** A real database with one account, real realtime nodes on free ports, and media nodes without media. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createOutboundIntent } from '@clarion/core/call-engine/begin';
import { stepCall } from '@clarion/core/call-engine/step-call';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createDatabase, Prisma } from '@clarion/db';
import type { Agent, Call, Channel, Consumer, Database, Queue, SipTrunk, Tenant } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { freePort } from '@clarion/devkit/settings/free-port';
import { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { FakeBehaviour } from '@clarion/testkit/peers/fake-media';
import { LookupHook } from '@clarion/testkit/peers/lookup-hook';
import { signToken } from '@clarion/testkit/stack/token';
import { pino } from 'pino';
import type { Env } from '../src/env.ts';
import { startRealtime } from '../src/server.ts';
import type { Realtime, RealtimeOptions } from '../src/server.ts';
import { AppSocket } from './app-socket.ts';

export const MASTER_KEY = Buffer.alloc(32, 3).toString('base64');
export const MEDIA_SECRET = 'a secret between media and realtime';
const POLL_MS = 20;
const POLL_LIMIT_MS = 15_000;
const LOCK_LIMIT_MS = 20_000;
const mainFile = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** A separate realtime process, so that it can be killed. */
export interface RealtimeProcess {
  url: string;
  port: number;
  kill(): Promise<void>;
}

export class RealtimeFixture {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly signingKey = { kid: 'k1', secret: randomUUID() };
  consumer!: Consumer;
  tenant!: Tenant;
  trunk!: SipTrunk;
  readonly #test: TestDatabase;
  readonly #nodes = new Set<Realtime>();
  readonly #closers = new Set<() => void>();
  #numbers = 0;

  private constructor(test: TestDatabase) {
    this.#test = test;
    this.databaseUrl = test.url;
    this.db = createDatabase(test.url, { connections: 5 });
  }

  static async create(): Promise<RealtimeFixture> {
    const fixture = new RealtimeFixture(await createTestDatabase());
    const secrets = createSecretBox([MASTER_KEY]);
    fixture.consumer = await fixture.db.consumer.create({
      data: {
        slug: 'acme',
        name: 'Acme',
        signingKeys: {
          create: { kid: 'k1', secretSealed: secrets.seal('signing-key', fixture.signingKey.secret) },
        },
      },
    });
    fixture.tenant = await fixture.db.tenant.create({
      data: { consumerId: fixture.consumer.id, ref: 't1', name: 'One' },
    });
    fixture.trunk = await fixture.db.sipTrunk.create({
      data: {
        consumerId: fixture.consumer.id,
        name: 'carrier',
        status: 'ACTIVE',
        host: '127.0.0.1',
        inboundSourceCidrs: ['127.0.0.1'],
        ingressLabel: 'carrier',
      },
    });
    return fixture;
  }

  async close(): Promise<void> {
    for (const close of this.#closers) close();
    await Promise.all([...this.#nodes].map((node) => node.stop()));
    await this.db.$disconnect();
    await this.#test.drop();
  }

  async startNode(
    settings: Partial<Env> = {},
    log = pino({ level: 'silent' }),
    options: RealtimeOptions = {},
  ): Promise<Realtime & { url: string }> {
    const node = await startRealtime(
      {
        bind: '127.0.0.1',
        port: 0,
        internalBind: '127.0.0.1',
        metricsPort: 0,
        databaseUrl: this.databaseUrl,
        masterKeys: [MASTER_KEY],
        mediaSecret: MEDIA_SECRET,
        baseUrl: 'http://localhost',
        ingressDomain: 'sip.example.test',
        allowPrivateEgress: true,
        graphUrl: 'http://127.0.0.1:9',
        turn: null,
        maxCallSeconds: 86_400,
        logLevel: 'silent',
        ...settings,
      },
      log,
      options,
    );
    this.#nodes.add(node);
    const stop = async () => {
      this.#nodes.delete(node);
      await node.stop();
    };
    return { ...node, stop, url: `http://127.0.0.1:${node.port}` };
  }

  /** Resolves when it is healthy. `port` is that of a process that was killed, so that its clients reconnect. */
  async startProcess({
    port,
    env = {},
  }: { port?: number; env?: Record<string, string> } = {}): Promise<RealtimeProcess> {
    const chosen = port ?? (await freePort());
    const child = spawn(process.execPath, [mainFile], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        DATABASE_URL: this.databaseUrl,
        CLARION_REALTIME_PORT: String(chosen),
        CLARION_REALTIME_METRICS_PORT: '0',
        CLARION_MASTER_KEY: MASTER_KEY,
        CLARION_MEDIA_SECRET: MEDIA_SECRET,
        CLARION_LOG_LEVEL: 'error',
        ...env,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    this.#closers.add(() => child.kill('SIGKILL'));
    const url = `http://127.0.0.1:${chosen}`;
    await this.until(async () => {
      const response = await fetch(`${url}/healthz`).catch(() => undefined);
      return response?.ok ? true : undefined;
    }, 'realtime to be healthy');
    return {
      url,
      port: chosen,
      async kill() {
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      },
    };
  }

  async media(nodes: { url: string }[], behaviour: Partial<FakeBehaviour> = {}): Promise<FakeMedia> {
    const media = new FakeMedia({ urls: nodes.map(({ url }) => url), secret: MEDIA_SECRET, behaviour });
    this.#closers.add(() => media.close());
    return media.ready();
  }

  /** The account's lookup hook, which verifies the signature of requests. */
  async lookupHook(): Promise<LookupHook> {
    const hook = await LookupHook.start();
    hook.secret = `whsec_${randomUUID()}`;
    const webhookSecretSealed = createSecretBox([MASTER_KEY]).seal('webhook-secret', hook.secret);
    await this.db.consumer.update({
      where: { id: this.consumer.id },
      data: { lookupUrl: hook.url, webhookSecretSealed },
    });
    return hook;
  }

  token(sub: string, claims: Record<string, unknown> = {}): string {
    return signToken(this.signingKey, { iss: 'acme', tnt: this.tenant.ref, sub, name: sub, ...claims });
  }

  /** An agent's app that has received its session. */
  async app(node: { url: string }, agentRef: string, deviceId?: string): Promise<AppSocket> {
    const app = new AppSocket(node.url, this.token(agentRef), deviceId);
    this.#closers.add(() => app.close());
    await app.session();
    return app;
  }

  async agent(ref: string, data: Partial<Prisma.AgentUncheckedCreateInput> = {}): Promise<Agent> {
    return this.db.agent.create({ data: { tenantId: this.tenant.id, ref, name: ref, ...data } });
  }

  /** Reservations of the agent wait until the returned function is called, as they would for a slow database. */
  lockAgent({ id }: Agent): Promise<() => Promise<void>> {
    return this.#lock(Prisma.sql`select 1 from "Agent" where "id" = ${id} for no key update`);
  }

  /** The same for the steps of a call. */
  lockCall(callId: number): Promise<() => Promise<void>> {
    return this.#lock(Prisma.sql`select 1 from "LiveCall" where "callId" = ${callId} for no key update`);
  }

  /** The same for everything that reads or writes the table. */
  lockTable(name: 'Channel' | 'LiveCall' | 'SigningKey'): Promise<() => Promise<void>> {
    return this.#lock(Prisma.raw(`lock table "${name}" in access exclusive mode`));
  }

  /** Resolves when a statement that contains this text waits for such a lock. */
  async waitsForLock(text: string): Promise<void> {
    await this.until(async () => {
      const [waiting] = await this.db.$queryRaw<unknown[]>`select 1 from pg_stat_activity
        where datname = current_database() and "wait_event_type" = 'Lock' and position(${text} in query) > 0`;
      return waiting;
    }, `a statement with ${text} to wait for a lock`);
  }

  async queue(members: Agent[], data: Partial<Prisma.QueueUncheckedCreateInput> = {}): Promise<Queue> {
    const ref = `q${++this.#numbers}`;
    return this.db.queue.create({
      data: {
        tenantId: this.tenant.id,
        ref,
        name: ref,
        ...data,
        members: { create: members.map(({ id }, index) => ({ agentId: id, priority: index + 1 })) },
      },
    });
  }

  async line(data: Partial<Prisma.ChannelUncheckedCreateInput>): Promise<Channel> {
    const number = `+4420700${String(++this.#numbers).padStart(5, '0')}`;
    return this.db.channel.create({
      data: {
        tenantId: this.tenant.id,
        ref: `line${this.#numbers}`,
        type: 'SIP',
        address: number,
        sipTrunkId: this.trunk.id,
        ...data,
      },
    });
  }

  /** A line whose flow answers and transfers callers to the queue, optionally for agents with these skills. */
  async answeringLine(queue: Queue, skills: string[] = []): Promise<Channel> {
    const line = await this.line({});
    await this.db.ivrFlow.create({
      data: {
        tenantId: this.tenant.id,
        ref: line.ref,
        name: line.ref,
        channelId: line.id,
        structure: {
          nodes: [
            { id: 's', type: 'ivr_start', data: {} },
            { id: 'q', type: 'ivr_transfer', data: { targetType: 'queue', targetId: queue.id, skills } },
          ],
          edges: [{ source: 's', target: 'q' }],
        },
        queues: { create: [{ queueId: queue.id }] },
      },
    });
    return line;
  }

  /** Like the API's verb. */
  async intent(agent: Agent, line: Channel, backup?: SipTrunk): Promise<Call> {
    return this.db.$transaction((tx) =>
      createOutboundIntent(
        tx,
        {
          consumerId: this.consumer.id,
          tenantId: this.tenant.id,
          agent,
          channel: line,
          sipTrunkId: line.sipTrunkId,
          customer: { address: '+447700900456', addressType: 'E164', name: null },
          record: false,
          pricing: { number: null, routes: [] },
          mediaPath: 'ROOM',
          dial: {
            trunkId: this.trunk.id,
            called: '447700900456',
            caller: line.address.slice(1),
            callerName: null,
            ...(backup && {
              backup: { trunkId: backup.id, called: '+447700900456', caller: line.address },
            }),
          },
          externalRef: 'order-7',
          consumerMetadata: { vip: true },
        },
        new Date(),
      ),
    );
  }

  /** Like the API's verb: from a process without sockets. */
  async terminate(callId: number) {
    return stepCall(this.db, callId, { type: 'terminate' }, new Date());
  }

  async ended(callId: number): Promise<Call> {
    return this.until(async () => {
      const call = await this.db.call.findUniqueOrThrow({ where: { id: callId } });
      return call.endedAt ? call : undefined;
    }, `call ${callId} to end`);
  }

  /** Polls until there is a result, for rows whose changes are not announced to a test. */
  async until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    const limit = Date.now() + POLL_LIMIT_MS;
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      if (Date.now() > limit) throw new Error(`timed out waiting for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Closes every connection, like a restart of the server. */
  async cutConnections(): Promise<void> {
    await this.db.$executeRaw`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
  }

  async eventsOf(callId: number): Promise<string[]> {
    const events = await this.db.event.findMany({ where: { callId }, orderBy: { sequence: 'asc' } });
    return events.map(({ type }) => type);
  }

  /** The types of a call's log entries, oldest first. */
  async logOf(callId: number): Promise<string[]> {
    const entries = await this.db.callLifecycle.findMany({ where: { callId }, orderBy: { id: 'asc' } });
    return entries.map(({ type }) => type);
  }

  async agentRow(id: number): Promise<Agent> {
    return this.db.agent.findUniqueOrThrow({ where: { id } });
  }

  async #lock(statement: Prisma.Sql): Promise<() => Promise<void>> {
    const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
    const { promise: unlocked, resolve: unlock } = Promise.withResolvers<void>();
    const transaction = this.db.$transaction(
      async (tx) => {
        await tx.$executeRaw(statement);
        lock();
        await unlocked;
      },
      { timeout: LOCK_LIMIT_MS },
    );
    await Promise.race([locked, transaction]);
    return () => {
      unlock();
      return transaction;
    };
  }
}
