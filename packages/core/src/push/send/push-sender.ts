/** Sends push notifications: one interface for APNs, FCM, OneSignal and browsers' push services. */
import type { PushProvider } from '@clarion/protocol';
import type { storedPushSettings } from '@clarion/protocol/v1/tenant/push-credentials';
import type { z } from 'zod';
import type { Egress } from '../../egress/guard.ts';
import type { PushMessage, PushResult, PushTarget, PushTokenProvider } from '../push-message.ts';
import type { PushUrls } from '../push-urls.ts';
import { notSendable, unanswered } from './answer.ts';
import { ApnsSender } from './apns-sender.ts';
import { createPost } from './egress-request.ts';
import { FcmSender } from './fcm-sender.ts';
import { sendThroughOneSignal, sendWebPush } from './http-senders.ts';
import { Http2Connections } from './http2-connections.ts';
import { timeUntil, within } from './time-left.ts';
import type { TimeLeft } from './time-left.ts';

export type PushSettings<P extends PushProvider> = z.output<(typeof storedPushSettings)[P]>;

/** A consumer's credentials for one provider. `secret`: decrypted. */
export interface CredentialsOf<P extends PushProvider> {
  provider: P;
  settings: PushSettings<P>;
  secret: string;
}
export type PushCredentials = { [P in PushProvider]: CredentialsOf<P> }[PushProvider];

export interface PushSender {
  /**
   * Opens the connection and obtains the access token that a send would need, so that the send itself is one request. Never throws: a
   * failure is the result of `send`.
   */
  prepare(credentials: PushCredentials, to: PushTarget): Promise<void>;
  /** Never throws. Bounded by `deadline`: it returns `retry` rather than pass it. */
  send(
    credentials: PushCredentials,
    to: PushTarget,
    message: PushMessage,
    deadline: Date,
  ): Promise<PushResult>;
  close(): Promise<void>;
}

/** Of a pino logger. No secret, token or payload is logged. */
export interface PushLog {
  debug(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface PushSenderOptions {
  egress: Pick<Egress, 'exchange'>;
  urls: PushUrls;
  /** Development only: allows private addresses and plain http, as for `egress`. */
  allowPrivate: boolean;
  now: () => Date;
  log?: PushLog;
}

/** For the connection and the access token. A send continues with what is not ready by then. */
const PREPARE_TIMEOUT_MS = 3_000;

const PROVIDER_OF: Record<PushTokenProvider, PushProvider> = {
  FCM: 'fcm',
  APNS_VOIP: 'apns',
  ONESIGNAL: 'onesignal',
  WEB_PUSH: 'webpush',
};

export function createPushSender({ egress, urls, allowPrivate, now, log }: PushSenderOptions): PushSender {
  const connections = new Http2Connections({ allowPrivate }, log);
  const post = createPost(egress);
  const apns = new ApnsSender({ connections, urls, now });
  const fcm = new FcmSender({ connections, post, url: urls.fcm, now });

  async function prepare(credentials: PushCredentials, to: PushTarget): Promise<void> {
    if (credentials.provider === 'apns') await apns.prepare(credentials, to);
    if (credentials.provider === 'fcm') await fcm.prepare(credentials);
  }

  async function send(
    credentials: PushCredentials,
    to: PushTarget,
    message: PushMessage,
    timeLeft: TimeLeft,
  ): Promise<PushResult> {
    switch (credentials.provider) {
      case 'apns':
        return apns.send(credentials, to, message, timeLeft);
      case 'fcm':
        return fcm.send(credentials, to, message, timeLeft);
      case 'onesignal':
        return sendThroughOneSignal(urls.onesignal, credentials, { to, message, timeLeft, post, now });
      case 'webpush':
        return sendWebPush(credentials, { to, message, timeLeft, post, now });
    }
  }

  /** An error here is one of ours, such as a key that cannot sign. It may not end the process of the caller. */
  const unexpected = (err: unknown, { provider }: PushCredentials) =>
    log?.error({ err, provider }, 'sending a push notification failed unexpectedly');

  return {
    async prepare(credentials, to) {
      const work = prepare(credentials, to).catch((err: unknown) => unexpected(err, credentials));
      await within(PREPARE_TIMEOUT_MS, work, undefined);
    },
    async send(credentials, to, message, deadline) {
      if (PROVIDER_OF[to.provider] !== credentials.provider) return notSendable('CredentialsOfOtherProvider');
      if (message.expiresAt <= now()) return unanswered('Expired');
      const timeLeft = timeUntil(deadline, now());
      if (timeLeft() <= 0) return unanswered('Timeout');
      return send(credentials, to, message, timeLeft).catch((err: unknown) => {
        unexpected(err, credentials);
        return notSendable('InternalError');
      });
    },
    close: async () => connections.closeAll(),
  };
}
