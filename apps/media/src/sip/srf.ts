/**
 * The parts of drachtio-srf 5.0.29 that we use, with their actual behaviour: the package's own types omit half of them
 * (the callback of cancel, in-dialog events, the properties of a rejected INVITE).
 */
import { createRequire } from 'node:module';

const requireHere = createRequire(import.meta.url);

export interface SipMessage {
  /** Undefined when the header is absent. */
  get: (name: string) => string | undefined;
  has: (name: string) => boolean;
  /** Undefined or empty when there is none. */
  body?: string;
  source_address: string;
  source_port: number;
  protocol: string;
  /** `application`: the SIP server itself sent it. Not set for a CANCEL. */
  source?: 'network' | 'application';
}

export interface SipRequest extends SipMessage {
  method: string;
  uri: string;
  readonly isNewInvite: boolean;
  on(event: 'cancel', listener: (cancel: SipMessage) => void): void;
  /** An UPDATE before the INVITE is answered, in either direction. */
  on(event: 'update', listener: (req: SipRequest, res: SipResponse) => void): void;
  /** A response to a request that we sent. */
  on(event: 'response', listener: (res: SipResponse) => void): void;
  /** Only for a request that we sent. */
  cancel: (callback: (error: Error | null) => void) => void;
}

export interface SendOptions {
  headers?: Record<string, string>;
  body?: string;
}

export interface SipResponse extends SipMessage {
  status: number;
  reason: string;
  /** The dialog that a response to an INVITE creates; drachtio-srf may have no object for it. */
  readonly stackDialogId: string;
  readonly finalResponseSent: boolean;
  send: (status: number, reasonOrOptions?: string | SendOptions, options?: SendOptions) => void;
}

export interface SipDialog {
  readonly id: string;
  readonly sip: { callId: string; remoteTag: string };
  readonly local: { sdp: string; contact: string };
  readonly req: SipRequest;
  /** The 200 to the INVITE, in either direction. */
  readonly res: SipResponse;
  readonly connected: boolean;
  on(event: 'ack', listener: (ack: SipMessage) => void): void;
  on(event: 'destroy', listener: (bye: SipMessage, reason: string) => void): void;
  /** A method without a listener gets a 200. */
  on(
    event: 'modify' | 'update' | 'info' | 'options' | 'refer' | 'message' | 'publish' | 'notify',
    listener: (req: SipRequest, res: SipResponse) => void,
  ): void;
  destroy: (options: SendOptions, callback: (error: unknown) => void) => void;
}

/** The error of createUAC if the final response is 300 or more. */
export interface SipRejection extends Error {
  status?: number;
  reason?: string;
  res?: SipResponse;
  code?: string;
}

export interface UacOptions {
  localSdp: string;
  headers: Record<string, string>;
  /** The next hop, if it is not that of the Request-URI. */
  proxy?: string;
}

export interface SrfClient {
  connect: (options: {
    host: string;
    port: number;
    secret: string;
    enablePing?: boolean;
    pingInterval?: number;
  }) => void;
  disconnect: () => void;
  on(
    event: 'connect',
    listener: (error: Error | null, hostport: string, serverVersion: string | null) => void,
  ): void;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'close' | 'reconnecting', listener: () => void): void;
  use: (method: string, handler: (req: SipRequest, res: SipResponse) => void) => void;
  /** The SIP server passes on no further request of this method outside a dialog. */
  unregisterForMessages: (method: string) => void;
  createUAS: (
    req: SipRequest,
    res: SipResponse,
    options: { localSdp: string; headers: Record<string, string> },
    done: (error: unknown, dialog?: SipDialog) => void,
  ) => void;
  createUAC: (
    uri: string,
    options: UacOptions,
    progress: {
      cbRequest: (error: Error | null, req?: SipRequest) => void;
      cbProvisional: (res: SipResponse) => void;
    },
    done: (error: unknown, dialog?: SipDialog) => void,
  ) => void;
  /** `uri` is required; in a dialog, `sip:placeholder` is replaced by its remote target. */
  request: (
    options: {
      uri: string;
      method: string;
      stackDialogId?: string;
      /** Where a request outside a dialog is sent, if not to its URI. */
      proxy?: string;
      headers: object;
      body?: string;
    },
    sent: (error: Error | null, req?: SipRequest) => void,
  ) => void;
  /** For a dialog that was ended without `destroy`. */
  removeDialog: (dialog: SipDialog) => void;
}

/**
 * drachtio-srf throws for a status without a reason phrase (607, for example): returns the generic status of its class
 * instead.
 */
export function knownStatus(status: number): number {
  if (status in statusPhrases) return status;
  return Math.max(400, Math.min(600, Math.floor(status / 100) * 100));
}

const statusPhrases: Record<string, string> = createRequire(requireHere.resolve('drachtio-srf'))(
  'sip-status',
);
const Srf: new () => SrfClient = requireHere('drachtio-srf');

export const createSrf = (): SrfClient => new Srf();

/**
 * Calls `established` in the same turn in which the dialog is created, then resolves. The ACK, and even a BYE, may
 * arrive in the same chunk of the control connection as the dialog: listeners added after a promise resolves would miss
 * them.
 */
export function createDialog(
  create: (done: (error: unknown, dialog?: SipDialog) => void) => void,
  established: (dialog: SipDialog) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    create((error, dialog) => {
      if (!dialog) return reject(error instanceof Error ? error : new Error(String(error)));
      established(dialog);
      resolve();
    });
  });
}
