/** Sends push notifications: one interface for APNs, FCM, OneSignal and browsers' push services. */
import type { PushProvider } from '@clarion/protocol';
import type { storedPushSettings } from '@clarion/protocol/v1/tenant/push';
import type { z } from 'zod';
import type { Egress } from '../../egress/guard.ts';
import type { PushMessage, PushResult, PushTarget } from '../push-message.ts';
import type { PushUrls } from '../push-urls.ts';

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

/** The result until the providers are implemented. */
export function createPushSender(_: PushSenderOptions): PushSender {
  return {
    prepare: async () => {},
    send: async () => ({ outcome: 'failed', httpStatus: null, reason: 'NotImplemented' }),
    close: async () => {},
  };
}
