/**
 * The whole system for one test file: every process of `npm start` on free ports with its own data directory, an account created with
 * the operator's command line, a webhook receiver, and a carrier's phone at the far end of its trunk. Under vitest, its database is a
 * copy of the run's migrated one; otherwise (and with `ownPostgres`) it starts a separate PostgreSQL server.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type Database } from '@clarion/db';
import type { TestDatabase } from '@clarion/db/testing';
import { startStack, type ProcessName, type Stack } from '@clarion/devkit/stack/stack';
import { freePort } from '@clarion/devkit/settings/free-port';
import { freeStackPorts } from '@clarion/devkit/settings/ports';
import { balance, type Balancer } from './balancer.ts';
import { ScriptedAgent } from '../agents/scripted-agent.ts';
import { SipPhone, type PhoneOptions } from '@clarion/test-phone/sip/phone';
import { rtpPortRange } from './rtp-ports.ts';
import { COUNTING_SETTINGS, giveEachAppARole, StatementCounter } from './statement-counter.ts';
import { signToken, type SigningKey } from './token.ts';
import { V1Client } from './v1-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../peers/webhook-receiver.ts';

const RTP_PORTS = 600;

export interface Account {
  slug: string;
  apiKey: string;
  signingKey: SigningKey;
  webhookSecret: string;
  v1: V1Client;
  trunkId: number;
}

export interface BootOptions {
  env?: Record<string, string>;
  carrier?: PhoneOptions;
  only?: Exclude<ProcessName, 'postgres'>[];
  /** Starts a second node of these as well: realtime2, media2. */
  second?: readonly ('realtime' | 'media')[];
  /** Starts a separate PostgreSQL server, as `npm start` does, for tests that kill it. */
  ownPostgres?: boolean;
  /** Counts the statements of each process (`statements`). Includes `ownPostgres`. */
  countStatements?: boolean;
  /** Creates the demo account, as the first `npm start` does. */
  seed?: boolean;
}

export type RealtimeName = 'realtime' | 'realtime2';

/** Removes the settings of the shell and of another running copy, so that they do not affect the test. */
const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(CLARION_|DRACHTIO_|DATABASE_URL$|S3_)/.test(name)),
  ),
  NODE_ENV: env.NODE_ENV,
});

/** A database of vitest's run; null outside vitest. */
async function databaseOfRun(): Promise<TestDatabase | null> {
  if (!process.env.VITEST) return null;
  const { createTestDatabase } = await import('@clarion/db/testing'); // imports vitest, which `npm run prove` does not use
  return createTestDatabase();
}

function rtpPorts(): string {
  const { first, last } = rtpPortRange(RTP_PORTS);
  return `${first}-${last}`;
}

export class TestStack {
  readonly stack: Stack;
  readonly webhooks: WebhookReceiver;
  /** The far end of the account's trunk. */
  readonly carrier: SipPhone;
  account!: Account;
  /** Log lines of every process, newest last, for the message of a failed test. */
  readonly log: string[];
  readonly #database: TestDatabase | null;
  readonly #balancers = new Map<string, Promise<Balancer>>();
  #db: Database | null = null;
  #statements: StatementCounter | null = null;
  readonly #phones: SipPhone[] = [];
  readonly #agents: ScriptedAgent[] = [];

  private constructor(
    stack: Stack,
    database: TestDatabase | null,
    webhooks: WebhookReceiver,
    carrier: SipPhone,
    log: string[],
  ) {
    this.stack = stack;
    this.#database = database;
    this.webhooks = webhooks;
    this.carrier = carrier;
    this.log = log;
  }

  static async boot(options: BootOptions = {}): Promise<TestStack> {
    const dataDir = mkdtempSync(join(tmpdir(), 'clarion-e2e-'));
    const log: string[] = [];
    const ports = await freeStackPorts();
    const database = options.ownPostgres || options.countStatements ? null : await databaseOfRun();
    const env = {
      ...withoutSettings(process.env),
      ...(database && { DATABASE_URL: database.url }),
      CLARION_RTP_PORTS: rtpPorts(),
      CLARION_LOG_LEVEL: process.env.CLARION_LOG_LEVEL ?? 'info',
      CLARION_DEMO_FAR_END_PORT: String(await freePort()),
      CLARION_DEMO_HISTORY: '0',
      ...options.env,
    };
    const stack = await startStack({
      dataDir,
      ports,
      env,
      ...(options.only ? { only: options.only } : {}),
      ...(options.second ? { second: options.second } : {}),
      seed: options.seed ?? false,
      ...(options.countStatements
        ? { postgresSettings: COUNTING_SETTINGS, prepareDatabase: giveEachAppARole }
        : {}),
      migrate: database === null, // the copy of the run's database is up to date
      onLine: (name, line) => {
        log.push(`${name} ${line}`);
        if (process.env.CLARION_TEST_LOG) process.stderr.write(`${name} ${line}\n`);
      },
    });
    const webhooks = await startWebhookReceiver();
    const carrier = await SipPhone.open(options.carrier ?? {});
    const test = new TestStack(stack, database, webhooks, carrier, log);
    try {
      test.account = await test.createAccount('acme', carrier);
      return test;
    } catch (error) {
      await test.stop();
      throw error;
    }
  }

  get baseUrl(): string {
    return this.stack.baseUrl;
  }
  get sip(): { host: string; port: number } {
    return { host: '127.0.0.1', port: this.stack.ports.sip };
  }
  get v1(): V1Client {
    return this.account.v1;
  }

  /** Its database, for data that no interface exposes. */
  get db(): Database {
    this.#db ??= createDatabase(this.stack.env.DATABASE_URL ?? '');
    return this.#db;
  }

  /** Of a stack with `countStatements`. */
  get statements(): StatementCounter {
    return (this.#statements ??= new StatementCounter(this.stack.env.DATABASE_URL ?? ''));
  }

  /** Runs the operator's command line with --json. In this process, because a new process takes a second to start. */
  async clarion<T>(args: string[], stdin = ''): Promise<T> {
    const [{ readEnv }, { withOperator }, { createProgram }] = await Promise.all([
      import('@clarion/cli/env'),
      import('@clarion/cli/operator-context'),
      import('@clarion/cli/program'),
    ]);
    const env = readEnv(this.stack.env);
    let printed = '';
    const program = createProgram({
      run: (work) => withOperator(env, work),
      write: (text) => {
        printed += text;
      },
      readStdin: async () => stdin,
    });
    await program.parseAsync([...args, '--json'], { from: 'user' });
    const parsed: T = JSON.parse(printed);
    return parsed;
  }

  /** Creates a consumer with an API key, the receiver as its webhook, and an ACTIVE trunk to `carrier`. */
  async createAccount(
    slug: string,
    carrier: { address: string; port: number },
    trunk: { transport?: 'UDP' | 'TCP'; username?: string; password?: string } = {},
  ): Promise<Account> {
    const made = await this.clarion<{ apiKey: string; signingKey: SigningKey; webhookSecret: string }>([
      'consumer',
      'create',
      '--slug',
      slug,
      '--name',
      slug,
      '--webhook-url',
      this.webhooks.url,
    ]);
    this.webhooks.secrets.push(made.webhookSecret);
    const { transport = 'UDP', username, password } = trunk;
    const { id } = await this.clarion<{ id: number }>(
      [
        ...[
          'trunk',
          'create',
          '--slug',
          slug,
          '--name',
          `carrier-of-${slug}`,
          '--active',
          '--transport',
          transport,
        ],
        ...['--host', carrier.address, '--port', String(carrier.port), '--source', '127.0.0.1/32'],
        ...(username ? ['--username', username, '--password-stdin'] : []),
      ],
      password,
    );
    return { slug, ...made, v1: new V1Client(this.baseUrl, made.apiKey), trunkId: id };
  }

  /** A phone whose calls come from the trunk's address. */
  async phone(options: PhoneOptions = {}): Promise<SipPhone> {
    const phone = await SipPhone.open(options);
    this.#phones.push(phone);
    return phone;
  }

  token(agentRef: string, { tenant = 'shop', role = 'AGENT', account = this.account } = {}): string {
    return signToken(account.signingKey, {
      iss: account.slug,
      tnt: tenant,
      sub: agentRef,
      name: agentRef,
      role,
    });
  }

  async agent(
    agentRef: string,
    options: {
      tenant?: string;
      account?: Account;
      deviceId?: string;
      reconnect?: boolean;
      role?: 'AGENT' | 'SUPERVISOR';
      /** The realtime node to connect to, or the other one while it is down. Default: through web, as a browser connects. */
      node?: RealtimeName;
    } = {},
  ): Promise<ScriptedAgent> {
    const { tenant = 'shop', account = this.account, role = 'AGENT', node, ...rest } = options;
    const token = () => this.token(agentRef, { tenant, account, role });
    const url = node ? await this.realtimeUrl(node) : this.baseUrl;
    const agent = await ScriptedAgent.connect({ url, token, ...rest });
    this.#agents.push(agent);
    return agent;
  }

  /** The URL of this realtime node, or of the other one while it is down. */
  async realtimeUrl(first: RealtimeName): Promise<string> {
    const { realtime, realtime2 = realtime } = this.stack.ports;
    const ports = first === 'realtime' ? [realtime, realtime2] : [realtime2, realtime];
    const known = this.#balancers.get(first) ?? balance(ports);
    this.#balancers.set(first, known);
    return (await known).url;
  }

  /** Closes the phones and agents of one test. */
  release(): void {
    this.#phones.splice(0).forEach((phone) => phone.close());
    this.#agents.splice(0).forEach((agent) => agent.close());
  }

  async stop(): Promise<void> {
    this.release();
    this.carrier.close();
    await this.#db?.$disconnect();
    await this.#statements?.close();
    for (const balancer of this.#balancers.values()) (await balancer).close();
    await this.stack.stop();
    await this.#database?.drop();
    await this.webhooks.close();
    rmSync(this.stack.dataDir, { recursive: true, force: true });
  }
}
