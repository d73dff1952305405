/** Puts the simulator together and starts it. */
import { Clock } from './clock.ts';
import { MetaControl } from './control/control.ts';
import { startControlServer } from './control/server.ts';
import { RateLimiter } from './graph/rate.ts';
import { GraphServer } from './graph/server.ts';
import { inPage } from './media/page-media.ts';
import { realMedia } from './media/real-media.ts';
import { CONTROL_PORT, defaultLimits, defaultTimeouts, GRAPH_PORT } from './options.ts';
import type { MetaSimulatorOptions } from './options.ts';
import { DEFAULT_RETRY_DELAYS_MS } from './webhooks/sender.ts';
import { verifyEndpoint, Webhooks } from './webhooks/webhooks.ts';
import { CallBook } from './world/call-book.ts';
import { Journal } from './world/journal.ts';
import type { Customer } from './world/people.ts';
import { PermissionBook } from './world/permission-book.ts';
import { World } from './world/world.ts';

const LOOPBACK = '127.0.0.1';
const VERIFY_INTERVAL_MS = 1000;

export interface MetaSimulator {
  /** Of the Graph API, without a version: `http://127.0.0.1:4620`. */
  readonly url: string;
  /** Null if there is no control API. */
  readonly controlUrl: string | null;
  readonly control: MetaControl;
  readonly customers: readonly Customer[];
  /** Resolves when the webhook has passed the handshake. */
  readonly verified: Promise<void>;
  readonly close: () => Promise<void>;
}

export async function startMetaSimulator(options: MetaSimulatorOptions): Promise<MetaSimulator> {
  const { webhookUrl, verifyToken, appSecret, host = LOOPBACK, log = () => undefined } = options;
  const clock = new Clock();
  const journal = new Journal(clock);
  const webhooks = new Webhooks({
    clock,
    url: webhookUrl,
    verifyToken,
    appSecret,
    retryDelaysMs: options.retryDelaysMs ?? DEFAULT_RETRY_DELAYS_MS,
    onDelivery: (delivery) => journal.record({ type: 'delivery', delivery }),
  });
  const limits = { ...defaultLimits, ...options.limits };
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const media = options.media ?? realMedia();
  const pageMedia = options.pageMedia ?? inPage();
  const { subscribed = true } = options;
  const world = new World({ clock, journal, webhooks, media, pageMedia, limits, timeouts, subscribed });
  for (const number of options.numbers) world.addNumber(number);
  for (const customer of options.customers ?? []) world.addCustomer(customer);

  const permissions = new PermissionBook(world);
  const calls = new CallBook(world, permissions);
  const context = { world, calls, permissions, rate: new RateLimiter(limits) };
  const { accessTokens } = options;
  const graph = new GraphServer({ context, accessTokens, host, port: options.port ?? GRAPH_PORT });
  const port = await graph.start();
  const control = new MetaControl(world, calls, permissions, graph);
  const { controlPort = CONTROL_PORT, controlOrigin = null } = options;
  const controlServer =
    controlPort === null
      ? null
      : await startControlServer({ control, host: LOOPBACK, port: controlPort, origin: controlOrigin }).catch(
          async (error: unknown) => {
            await graph.close();
            throw error;
          },
        );
  const closing = new AbortController();
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    controlUrl: controlServer === null ? null : `http://${LOOPBACK}:${controlServer.port}`,
    control,
    customers: world.customers,
    verified: webhookUrl === null ? Promise.resolve() : verify(webhookUrl, verifyToken, log, closing.signal),
    close: async () => {
      closing.abort();
      clock.close();
      webhooks.close();
      await Promise.all([graph.close(), controlServer?.close(), calls.close()]);
    },
  };
}

/** The endpoint may start later than the simulator: it is warned about once, and tried again. Never rejects. */
async function verify(
  url: string,
  token: string,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    const problem = await verifyEndpoint(url, token);
    if (problem === null) return log(`webhook ${url} verified`);
    if (attempt === 1) log(`webhook ${url} not verified yet: ${problem}; trying again`);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, VERIFY_INTERVAL_MS);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
