/**
 * A consumer that tries to reach the private network through its webhook and lookup URLs and the token_uri of its service account: when they
 * are saved, and when they are called (with rows written directly, to bypass the check on saving), also over HTTP/2. Real verbs, a real database, a real name server, and listeners that
 * count connections.
 */
import { generateKeyPair, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { promisify } from 'node:util';
import { connectHttp2 } from '@clarion/core/egress/connect-http2';
import { createEgress, EgressRefused, publicResolver } from '@clarion/core/egress/guard';
import type { Egress, Resolve } from '@clarion/core/egress/guard';
import { isPublicAddress, literalAddress } from '@clarion/core/egress/public-address';
import type { Ctx } from '@clarion/core/context';
import { putWebhook } from '@clarion/core/event/put-webhook';
import { newWebhookSecret } from '@clarion/core/event/signature';
import { putPushCredentials } from '@clarion/core/push/push-credentials';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createStore } from '@clarion/store/store';
import { createDatabase, createPool } from '@clarion/db';
import { ApiError } from '@clarion/protocol';
import { pino } from 'pino';
import { deliverNow } from '../load/deliver-now.ts';
import { startDnsServer } from '../peers/dns-server.ts';
import { lookAlikes, notationsOfIPv4, privateIPv4, privateIPv6, tricks } from './hostile-urls.ts';
import { startWebhookReceiver } from '../peers/webhook-receiver.ts';

export interface AttackResult {
  urls: number;
  /** Saved URLs that were not refused with a 400 on the right field. */
  saved: string[];
  /** URLs whose call was not refused before connecting. */
  called: string[];
  /** Public look-alikes that were refused, or whose connection did not go to a public address. */
  lookAlikesRefused: string[];
  /** Redirects that were followed. */
  redirected: string[];
  /** Number of connections to the listeners. */
  touched: number;
  /** Whether the listeners do count connections. */
  canaryWorks: boolean;
}

const PUBLIC = '93.184.215.14';
/** Generous, because a refusal does not wait for anything. */
const TIMEOUT_MS = 3_000;

/** The records of our name server: only private addresses, private among public ones, or private from the second lookup on. */
const zone = (name: string, asked: number): string[] | null => {
  if (name.startsWith('rebinding-')) return asked === 0 ? [PUBLIC] : ['127.0.0.1', '::1'];
  const address = names.get(name);
  if (address === undefined) return null;
  return name.startsWith('mixed-') ? [PUBLIC, address, '2606:4700::1111'] : [address];
};
const names = new Map(
  [...privateIPv4, ...privateIPv6].flatMap((address, index): [string, string][] => [
    [`private-${index}.example`, address],
    [`mixed-${index}.example`, address],
  ]),
);

/** @param every use only every nth URL, for a short run */
export async function attack(databaseUrl: string, { every = 1 } = {}): Promise<AttackResult> {
  const canary = await startCanary();
  const dns = await startDnsServer(zone);
  const resolve = publicResolver([dns.address]);
  const egress = createEgress({ allowPrivate: false, resolve });
  const db = createDatabase(databaseUrl, { connections: 3 });
  const sql = createPool(databaseUrl, { connections: 2, onError: () => undefined });
  const secrets = createSecretBox([randomBytes(32).toString('base64')]);
  const log = pino({ level: 'silent' });
  const baseUrl = 'https://clarion.example';
  try {
    const consumer = await db.consumer.create({
      data: {
        slug: randomUUID(),
        name: 'Mallory',
        webhookSecretSealed: secrets.seal('webhook-secret', newWebhookSecret()),
      },
    });
    const ctx: Ctx = {
      consumer,
      actor: { kind: 'apiKey', id: 1 },
      surface: 'api',
      db,
      now: new Date(),
      log,
      secrets,
      store: createStore({ provider: 'local', dataDir: '/nonexistent', s3: null }, { secrets, baseUrl }),
      settings: {
        baseUrl,
        ingressDomain: null,
        allowPrivateEgress: false,
        operatorName: 'Operator',
        resolve,
      },
    };
    const deliver = async (url: string) => {
      await db.consumer.update({ where: { id: consumer.id }, data: { webhookUrl: url } });
      const event = await db.event.create({
        data: {
          eventId: randomUUID(),
          consumerId: consumer.id,
          type: 'call.ended',
          body: '{"secret":true}',
          occurredAt: ctx.now,
          delivery: { create: { consumerId: consumer.id, dueAt: ctx.now } },
        },
      });
      await deliverNow({ db, sql, secrets, egress, log, now: () => new Date() }, event);
      return db.eventAttempt.findFirst({ where: { eventRowId: event.id } });
    };

    const privateKey = await newRsaKey();
    const saved: string[] = [];
    const called: string[] = [];
    const urls = hostileUrls(canary.ports).filter((_, index) => index % every === 0);
    for (const url of urls) {
      const rebinding = url.includes('rebinding-');
      for (const [field, body] of [
        ['url', { url, eventTypes: null, lookupUrl: null }],
        ['lookup_url', { url: null, eventTypes: null, lookupUrl: url }],
      ] as const) {
        // A name that is public on the first lookup may be saved. It must not be called.
        if (!(await isRefusedSave(field, putWebhook(ctx, body))) && !rebinding) saved.push(`${field} ${url}`);
      }
      const account = serviceAccount(privateKey, url);
      const put = putPushCredentials(ctx, 'fcm', { service_account: account });
      if (!(await isRefusedSave('service_account.token_uri', put)) && !rebinding)
        saved.push(`service_account.token_uri ${url}`);
      const attempt = await deliver(url);
      if (attempt?.status !== null || !isRefusal(attempt.error))
        called.push(`webhook ${url}: ${attempt?.error}`);
      const error = await lookupCall(egress, url);
      if (!(error instanceof EgressRefused)) called.push(`lookup ${url}: ${String(error)}`);
      const opened = await http2Connection(resolve, url);
      if (!(opened instanceof EgressRefused)) called.push(`HTTP/2 ${url}: ${String(opened)}`);
    }
    const lookAlikesRefused = await refusedLookAlikes(ctx);
    const redirected = await followedRedirects(canary.ports);
    const touched = canary.touched();
    const canaryWorks = await canary.works();
    return { urls: urls.length, saved, called, lookAlikesRefused, redirected, touched, canaryWorks };
  } finally {
    await Promise.all([egress.close(), dns.close(), canary.close(), sql.end()]);
    await db.$disconnect();
  }
}

function hostileUrls(ports: number[]): string[] {
  const [first = 0] = ports;
  return [
    ...privateIPv4
      .flatMap(notationsOfIPv4)
      .map((host, index) => `https://${host}:${ports[index % ports.length]}/`),
    ...privateIPv6.map((host, index) => `https://[${host}]:${ports[index % ports.length]}/`),
    ...tricks(first).filter((url) => url !== ''),
    ...[...names.keys()].map((name, index) => `https://${name}:${ports[index % ports.length]}/`),
    ...[...names.keys()].slice(0, 4).map((name) => `https://${name}.:${first}/`),
    ...ports.map((port, index) => `https://rebinding-${index}.example:${port}/`),
  ];
}

/** The error in GET /v1/events for an address that was refused (guard.ts). */
const isRefusal = (text: string | null | undefined) =>
  /not public|must start with|not a valid URL|must not contain/.test(text ?? '');

/** Calls a URL in the same way as the lookup hook. */
const lookupCall = (egress: Egress, url: string): Promise<unknown> =>
  egress.post(url, { headers: {}, body: '{}', timeoutMs: TIMEOUT_MS, maxBodyBytes: 100 }).then(
    ({ status }) => status,
    (error: unknown) => error,
  );

/** Opens a connection as those to push services are opened; the error if it fails. */
async function http2Connection(resolve: Resolve, url: string): Promise<unknown> {
  try {
    const session = connectHttp2(url, { allowPrivate: false, resolve });
    const [error] = (await Promise.race([once(session, 'error'), once(session, 'close')])) as [unknown?];
    session.destroy();
    return error;
  } catch (error) {
    return error;
  }
}

/** Whether a URL was refused when it was saved, with a 400 that names the field. */
const isRefusedSave = async (field: string, saving: Promise<unknown>): Promise<boolean> =>
  saving.then(
    () => false,
    (error: unknown) =>
      error instanceof ApiError && error.status === 400 && error.details?.['field'] === field,
  );

const newRsaKey = async (): Promise<string> => {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
};

const serviceAccount = (privateKey: string, tokenUri: string) => ({
  type: 'service_account',
  project_id: 'mallory',
  client_email: 'push@mallory.example',
  private_key: privateKey,
  token_uri: tokenUri,
});

/** Runs everything but the connection itself, because these addresses belong to others. */
async function refusedLookAlikes(ctx: Ctx): Promise<string[]> {
  const refused: string[] = [];
  for (const address of lookAlikes) {
    const connectedTo: string[] = [];
    const egress = createEgress({
      allowPrivate: false,
      resolve: async () => [address],
      connectorOf: (options) => (target, callback) => {
        const stop = (found: string[]) => {
          connectedTo.push(...found);
          callback(new Error('the test makes no connection'), null);
        };
        const literal = literalAddress(target.hostname);
        if (literal !== null) stop([literal]);
        else
          options.lookup(target.hostname, { all: true }, (error, found) => {
            if (error) callback(error, null);
            else stop(Array.isArray(found) ? found.map((each) => each.address) : [found]);
          });
      },
    });
    const host = address.includes(':') ? `[${address}]` : address;
    for (const url of [`https://${host}/hook`, 'https://look-alike.example/hook']) {
      await putWebhook(
        { ...ctx, settings: { ...ctx.settings, resolve: async () => [address] } },
        { url, eventTypes: null, lookupUrl: url },
      ).catch((error: unknown) => refused.push(`${url}: ${String(error)}`));
      await lookupCall(egress, url);
    }
    const right = connectedTo.length === 2 && connectedTo.every(isPublicAddress);
    if (!right) refused.push(`${address}: connected to ${connectedTo.join(', ') || 'nothing'}`);
    await egress.close();
  }
  return refused;
}

/** Private addresses are allowed here so that the endpoint can be reached. The redirect must not be followed even then. */
async function followedRedirects(ports: number[]): Promise<string[]> {
  const receiver = await startWebhookReceiver();
  const egress = createEgress({ allowPrivate: true });
  const followed: string[] = [];
  const body = JSON.stringify({
    event_id: randomUUID(),
    event_type: 'call.ended',
    data: {},
    occurred_at: new Date().toISOString(),
    tenant_ref: null,
    api_version: '1',
    sequence: null,
  });
  try {
    for (const status of [301, 302, 303, 307, 308]) {
      for (const location of [
        `http://127.0.0.1:${ports[0]}/`,
        `//[::1]:${ports[1]}/`,
        'file:///etc/passwd',
      ]) {
        receiver.answer({ status, headers: { location } });
        const answer = await egress.post(receiver.url, {
          headers: {},
          body,
          timeoutMs: TIMEOUT_MS,
          maxBodyBytes: 100,
        });
        if (answer.status !== status) followed.push(`${status} ${location}`);
      }
    }
  } finally {
    await Promise.all([egress.close(), receiver.close()]);
  }
  return followed;
}

/** Listens on several ports of loopback, IPv4 and IPv6, and counts and closes each connection. */
async function startCanary() {
  let touched = 0;
  const servers: Server[] = [];
  for (const host of ['127.0.0.1', '::1', '127.0.0.1', '::1']) {
    const server = createServer((socket) => {
      touched += 1;
      socket.destroy();
    });
    server.listen(0, host);
    await once(server, 'listening');
    servers.push(server);
  }
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  return {
    ports,
    touched: () => touched,
    /** Verifies that connections are counted. */
    async works() {
      const before = touched;
      const open = createEgress({ allowPrivate: true });
      for (const [index, port] of ports.entries())
        await lookupCall(open, `http://${index % 2 === 0 ? '127.0.0.1' : '[::1]'}:${port}/`);
      await open.close();
      return touched - before === ports.length;
    },
    async close() {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** The failed requirements as text. */
export function attackComplaints(result: AttackResult): string[] {
  return [
    ...result.saved.map((what) => `saved: ${what}`),
    ...result.called.map((what) => `not refused: ${what}`),
    ...result.lookAlikesRefused.map((what) => `public address refused: ${what}`),
    ...result.redirected.map((what) => `redirect followed: ${what}`),
    ...(result.touched > 0 ? [`${result.touched} connections reached the canary`] : []),
    ...(result.canaryWorks ? [] : ['the listeners do not count connections']),
  ];
}
