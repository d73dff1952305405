/**
 * The whole system for one test file: the processes of `npm start`, an account created with the operator's command line, a webhook
 * receiver, and a carrier's phone at the far end of its trunk. `share` creates the account on processes that other files use as well,
 * `boot` starts processes of its own.
 */
import { createDatabase, type Database } from '@clarion/db';
import type { Stack } from '@clarion/devkit/stack/stack';
import { balance, type Balancer } from './balancer.ts';
import { ScriptedAgent } from '../agents/scripted-agent.ts';
import { SipPhone, type PhoneOptions } from '@clarion/test-phone/sip/phone';
import { sharedServices, startServices, type ServiceOptions, type Services } from './services.ts';
import { StatementCounter } from './statement-counter.ts';
import { signToken, type SigningKey } from './token.ts';
import { V1Client } from './v1-client.ts';
import type { PushDevices } from '../peers/push-devices.ts';
import type { Meta } from '../peers/whatsapp-customer.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../peers/webhook-receiver.ts';

export interface Account {
  slug: string;
  apiKey: string;
  signingKey: SigningKey;
  webhookSecret: string;
  v1: V1Client;
  trunkId: number;
}

export interface BootOptions extends ServiceOptions {
  carrier?: PhoneOptions;
}

export type RealtimeName = 'realtime' | 'realtime2';

export class TestStack {
  readonly webhooks: WebhookReceiver;
  /** The far end of the account's trunk. */
  readonly carrier: SipPhone;
  account!: Account;
  readonly #services: Services;
  readonly #balancers = new Map<string, Promise<Balancer>>();
  #db: Database | null = null;
  #statements: StatementCounter | null = null;
  readonly #phones: SipPhone[] = [];
  readonly #agents: ScriptedAgent[] = [];

  private constructor(services: Services, webhooks: WebhookReceiver, carrier: SipPhone) {
    this.#services = services;
    this.webhooks = webhooks;
    this.carrier = carrier;
  }

  /** With processes of its own: for settings of its own, and for tests that stop processes or see the data of all accounts. */
  static async boot({ carrier, ...options }: BootOptions = {}): Promise<TestStack> {
    return TestStack.#on(await startServices(options), 'acme', carrier);
  }

  /** With the processes that the test files of one vitest worker share, and an account of its own. */
  static async share(carrier?: PhoneOptions): Promise<TestStack> {
    const services = await sharedServices();
    services.users += 1;
    return TestStack.#on(services, `acme${services.users}`, carrier);
  }

  static async #on(services: Services, slug: string, carrier: PhoneOptions = {}): Promise<TestStack> {
    const webhooks = await startWebhookReceiver();
    const test = new TestStack(services, webhooks, await SipPhone.open(carrier));
    try {
      test.account = await test.createAccount(slug, test.carrier);
      return test;
    } catch (error) {
      await test.stop();
      throw error;
    }
  }

  get stack(): Stack {
    return this.#services.stack;
  }
  /** Log lines of every process, newest last, for the message of a failed test. */
  get log(): readonly string[] {
    return this.#services.log;
  }
  get baseUrl(): string {
    return this.stack.baseUrl;
  }
  get sip(): { host: string; port: number } {
    return { host: '127.0.0.1', port: this.stack.ports.sip };
  }
  /** The simulated WhatsApp of the stack. */
  get meta(): Meta {
    const { meta } = this.#services;
    if (!meta) throw new Error('this stack has the demo account, whose WhatsApp line belongs to it');
    return meta;
  }
  /** Devices that push notifications wake. */
  get devices(): PushDevices {
    return this.#services.devices;
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

  /** Creates a consumer with an API key, the receiver as its webhook, and an ACTIVE trunk to and from the address of `carrier`. */
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
        ...['--host', carrier.address, '--port', String(carrier.port), '--source', carrier.address],
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
    await this.#services.release();
    await this.webhooks.close();
  }
}
