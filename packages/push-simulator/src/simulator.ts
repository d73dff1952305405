/** Starts all push services on free ports of the loopback address. */
import { Apns } from './apns.ts';
import type { ApnsKey } from './apns.ts';
import { Fcm } from './fcm.ts';
import { GoogleOauth } from './google-oauth.ts';
import type { ServiceAccount } from './google-oauth.ts';
import { startHttp1Server } from './http1-server.ts';
import { startHttp2Server } from './http2-server.ts';
import { Inboxes } from './inboxes.ts';
import type { Received } from './inboxes.ts';
import { OneSignal } from './onesignal.ts';
import type { OneSignalApp } from './onesignal.ts';
import { WebPush } from './web-push.ts';

const HOST = '127.0.0.1';
const ANY_PORT = 0;

/** Who may send. Subscriptions of browsers name their own keys. */
export interface PushSimulatorOptions {
  readonly apnsKeys?: readonly ApnsKey[];
  readonly serviceAccounts?: readonly ServiceAccount[];
  readonly oneSignalApps?: readonly OneSignalApp[];
}

export interface PushSimulator {
  /** Base URLs: HTTP/2 with prior knowledge for `apns`, `apnsSandbox` and `fcm`. `token` is the service account's `token_uri`. */
  readonly urls: {
    readonly apns: string;
    readonly apnsSandbox: string;
    readonly fcm: string;
    readonly token: string;
    readonly onesignal: string;
    readonly webPush: string;
  };
  readonly apns: Apns;
  readonly oauth: GoogleOauth;
  readonly fcm: Fcm;
  readonly onesignal: OneSignal;
  readonly webPush: WebPush;
  /**
   * Resolves as soon as a device has received `count` push notifications (1 unless given), with all that it has received.
   *
   * @param token as registered with the sender: for browsers, the subscription as JSON or its endpoint
   */
  received(token: string, count?: number, timeoutMs?: number): Promise<readonly Received[]>;
  /** What a device has received until now. */
  inbox(token: string): readonly Received[];
  /** Forgets what was received, all faults, ends of connections and clock offsets; devices stay. */
  reset(): void;
  close(): Promise<void>;
}

export async function startPushSimulator({
  apnsKeys = [],
  serviceAccounts = [],
  oneSignalApps = [],
}: PushSimulatorOptions = {}): Promise<PushSimulator> {
  const inboxes = new Inboxes();
  const apns = new Apns(apnsKeys, inboxes);
  const oauth = new GoogleOauth(serviceAccounts);
  const fcm = new Fcm(oauth, inboxes);
  const onesignal = new OneSignal(oneSignalApps, inboxes);
  const webPush = new WebPush(inboxes);
  const servers = {
    apns: await startHttp2Server(apns.service(false), apns.connections, HOST, ANY_PORT),
    apnsSandbox: await startHttp2Server(apns.service(true), apns.connections, HOST, ANY_PORT),
    fcm: await startHttp2Server(fcm, fcm.connections, HOST, ANY_PORT),
    oauth: await startHttp1Server(oauth, oauth.connections, HOST, ANY_PORT),
    onesignal: await startHttp1Server(onesignal, onesignal.connections, HOST, ANY_PORT),
    webPush: await startHttp1Server(webPush, webPush.connections, HOST, ANY_PORT),
  };
  oauth.url = `${servers.oauth.url}/token`;
  webPush.url = servers.webPush.url;
  return {
    urls: {
      apns: servers.apns.url,
      apnsSandbox: servers.apnsSandbox.url,
      fcm: servers.fcm.url,
      token: oauth.url,
      onesignal: servers.onesignal.url,
      webPush: webPush.url,
    },
    apns,
    oauth,
    fcm,
    onesignal,
    webPush,
    received: (token, count, timeoutMs) => inboxes.when(token, count, timeoutMs),
    inbox: (token) => inboxes.of(token),
    reset() {
      inboxes.clear();
      for (const { faults } of [apns, oauth, fcm, onesignal, webPush]) faults.clear();
      for (const { connections } of [apns, fcm]) connections.end = null;
      for (const service of [apns, oauth]) service.clockOffsetMs = 0;
    },
    async close() {
      await Promise.all(Object.values(servers).map((server) => server.close()));
    },
  };
}
