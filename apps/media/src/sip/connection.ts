/** The connection to the SIP server, which drachtio-srf keeps open. When it is lost, the calls on it are ended here. */
import type { Logger } from 'pino';
import { ALLOW, SUPPORTED } from './capabilities.ts';
import { tapFrames } from '../ladder/traced-srf.ts';
import { createSrf, type SipRequest, type SipResponse, type SrfClient } from './srf.ts';

/** Detects a half-open connection; drachtio-server allows 5 to 300 s. */
const PING_INTERVAL_MS = 15_000;

export interface SipConnectionOptions {
  host: string;
  port: number;
  secret: string;
  log: Logger;
  onInvite: (req: SipRequest, res: SipResponse) => Promise<void>;
  /** Called with every frame of the control connection. */
  onFrame: (frame: string) => void;
  /** Every dialog is lost; returns the IDs of those that the SIP server may still have. */
  onLost: () => string[];
}

export class SipConnection {
  readonly srf: SrfClient;
  readonly #options: SipConnectionOptions;
  #up = false;
  #passesTrying = false;
  #closed = false;
  /** stopping: the SIP server is told once it is connected. */
  #invites: 'received' | 'stopping' | 'stopped' = 'received';
  #orphans: string[] = [];

  constructor(options: SipConnectionOptions) {
    this.#options = options;
    this.srf = createSrf();
    // Before connecting: a handler that is added later would be registered twice.
    this.srf.use('invite', (req, res) => {
      options.onInvite(req, res).catch((error: unknown) => {
        options.log.error({ err: error }, 'failed to handle an INVITE');
        if (!res.finalResponseSent) res.send(500);
      });
    });
    this.srf.use('options', (_req, res) => {
      res.send(200, { headers: { Accept: 'application/sdp', Allow: ALLOW, Supported: SUPPORTED } });
    });
    this.srf.on('connect', (error, hostport, version) => this.#connected(error, hostport, version));
    this.srf.on('error', (error) => options.log.debug({ message: error.message }, 'SIP server connection'));
    this.srf.on('close', () => this.#lost());
  }

  get up(): boolean {
    return this.#up;
  }

  /**
   * Whether the SIP server passes on the 100 of an INVITE, so that silence can be told from a slow call setup.
   * drachtio-server does not.
   */
  get passesTrying(): boolean {
    return this.#passesTrying;
  }

  connect(): void {
    const { host, port, secret } = this.#options;
    this.srf.connect({ host, port, secret, enablePing: true, pingInterval: PING_INTERVAL_MS });
    tapFrames(this.srf, this.#options.onFrame);
  }

  /** New INVITEs go to other clients of the SIP server, which rejects them if there is none. Dialogs stay with this one. */
  stopInvites(): void {
    if (this.#invites === 'received') this.#invites = 'stopping';
    // drachtio-srf throws an error for a method that it has removed, and does not register that one again when it reconnects.
    if (!this.#up || this.#invites === 'stopped') return;
    this.#invites = 'stopped';
    this.srf.unregisterForMessages('invite');
  }

  close(): void {
    const wasUp = this.#up;
    this.#closed = true;
    this.#up = false;
    // Without a connection drachtio-srf throws here and keeps trying; `#connected` then disconnects.
    if (wasUp) this.srf.disconnect();
  }

  #connected(error: Error | null, hostport: string, version: string | null): void {
    if (this.#closed) {
      this.srf.disconnect();
      return;
    }
    if (error) {
      this.#options.log.error(
        { message: error.message },
        'the SIP server rejected the connection; check DRACHTIO_SECRET',
      );
      return;
    }
    this.#up = true;
    if (this.#invites === 'stopping') this.stopInvites();
    this.#passesTrying = version?.endsWith('-clarion') ?? false;
    this.#options.log.info({ hostport }, 'SIP server connected');
    for (const dialogId of this.#orphans.splice(0)) this.#bye(dialogId);
  }

  #lost(): void {
    if (!this.#up || this.#closed) return;
    this.#up = false;
    this.#options.log.error('SIP server connection lost');
    this.#orphans.push(...this.#options.onLost());
  }

  /** A dialog cannot move to a new connection, but any client that knows its ID can end it. */
  #bye(dialogId: string): void {
    const headers = { Reason: 'SIP;cause=500;text="lost connection"' };
    const request = { uri: 'sip:placeholder', method: 'BYE', stackDialogId: dialogId, headers };
    // A SIP server that was restarted no longer has the dialog either: the carrier then gets 481.
    this.srf.request(request, () => undefined);
  }
}
