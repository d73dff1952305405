/** Combines transports, transactions, agent and control port to a gateway. */
import { respondForApp } from './agent/app-responses.ts';
import { onAppDisconnected } from './agent/app-disconnected.ts';
import { sendCancel, sendInDialog, sendNew } from './agent/app-requests.ts';
import type { Context } from './agent/context.ts';
import type { Counters } from './agent/counters.ts';
import { newCounters } from './agent/counters.ts';
import { FloodGuard } from './agent/flood-guard.ts';
import { failureAck, onClientFailed, onResponse, onStrayResponse } from './agent/network-responses.ts';
import { onAck, onRequest, onServerFailed } from './agent/network-requests.ts';
import { needsContext, isKnownRequest, isKnownResponse, rejectStray } from './agent/stray-messages.ts';
import type { Inbound, Outbound } from './agent/tables.ts';
import { Tables } from './agent/tables.ts';
import { ScopedClock } from './clock.ts';
import { plainReply } from './control/frames.ts';
import type { App } from './control/server.ts';
import { ControlServer } from './control/server.ts';
import { parseAppMessage } from './control/app-message.ts';
import { randomId } from './ids.ts';
import { buildResponse } from './message/build.ts';
import type { Fault } from './message/parse.ts';
import { parseMessage } from './message/parse.ts';
import type { SipMessage } from './message/message.ts';
import { stampVia } from './message/via.ts';
import type { ResolvedOptions } from './options.ts';
import { TransactionLayer } from './transaction/layer.ts';
import { timerValues } from './transaction/timers.ts';
import { Addresses } from './transport/addresses.ts';
import { Locator } from './transport/locate.ts';
import type { StreamOptions } from './transport/stream.ts';
import { openStream } from './transport/stream.ts';
import { tcpKind } from './transport/tcp.ts';
import { tlsKind } from './transport/tls.ts';
import type { Peer, Protocol, Transport, TransportEvents } from './transport/transport.ts';
import { openUdp, probeUdp } from './transport/udp.ts';

/** Attempts to find a port that is free for both UDP and TCP. */
const PORT_ATTEMPTS = 20;

/** Sizes of the tables; all are zero when the gateway is idle. */
export interface GatewayLoad {
  readonly dialogs: number;
  readonly inbound: number;
  readonly outbound: number;
  readonly serverTransactions: number;
  readonly clientTransactions: number;
  readonly timers: number;
  readonly apps: number;
}

export class Gateway {
  readonly #settings: ResolvedOptions;
  readonly #clock: ScopedClock;
  readonly #transports = new Map<Protocol, Transport>();
  readonly #addresses: Addresses;
  readonly #tables = new Tables();
  readonly #counters = newCounters();
  readonly #flood: FloodGuard;
  readonly #layer: TransactionLayer<Inbound, Outbound>;
  readonly #control: ControlServer;
  readonly #context: Context;
  #controlPort = 0;

  constructor(settings: ResolvedOptions) {
    this.#settings = settings;
    this.#clock = new ScopedClock(settings.clock, (error) => this.#failed(error, 'timer failed'));
    this.#addresses = new Addresses(settings.bind, settings.publicIp, () => this.#clock.now());
    this.#flood = new FloodGuard(settings.flood);
    const timers = timerValues(settings.t1Ms);
    this.#layer = new TransactionLayer<Inbound, Outbound>(
      this.#clock,
      timers,
      {
        send: (text, peer, failed) => this.#send(text, peer, failed),
        isReliable: ({ protocol }) => protocol !== 'udp',
      },
      {
        request: (transaction) => onRequest(this.#context, transaction),
        ack: (message, peer) => onAck(this.#context, message, peer),
        serverFailed: (transaction) => onServerFailed(this.#context, transaction),
        response: (transaction, message, peer) => onResponse(this.#context, transaction, message, peer),
        strayResponse: (message, peer) => onStrayResponse(this.#context, message, peer),
        clientFailed: (transaction, cause) => {
          if (transaction.method === 'CANCEL') this.#context.tables.removeOutbound(transaction.user);
          onClientFailed(this.#context, transaction, cause);
        },
        clientUnanswered: (transaction) => {
          const outbound = transaction.user;
          if (outbound.probed || transaction.peer.protocol !== 'udp') return;
          outbound.probed = true;
          this.#context.probe(transaction.peer, () => this.#layer.transportFailed(transaction));
        },
        buildAck: (transaction, response) => failureAck(transaction, response),
      },
    );
    this.#control = new ControlServer(
      {
        host: settings.controlHost,
        port: settings.controlPort,
        secret: settings.secret,
        clock: this.#clock,
        addresses: () => this.#advertised(),
      },
      {
        sip: (app, id, fields, sip) => this.#sipCommand(app, id, fields, sip),
        proxy: (app, id, fields) => this.#proxyCommand(app, id, fields),
        gone: (app) => onAppDisconnected(this.#context, app),
      },
      settings.log,
    );
    this.#context = {
      clock: this.#clock,
      log: settings.log,
      settings: {
        timers,
        ringTimeoutMs: settings.ringTimeoutMs,
        appResponseTimeoutMs: settings.appResponseTimeoutMs,
        appReconnectGraceMs: settings.appReconnectGraceMs,
      },
      tables: this.#tables,
      counters: this.#counters,
      addresses: this.#addresses,
      locator: new Locator(settings.resolver, () => this.#clock.now()),
      layer: this.#layer,
      nextApp: (method) => this.#control.next(method.toLowerCase()),
      send: (text, peer) => this.#send(text, peer, () => undefined),
      probe: (peer, refused) => probeUdp(peer, timers.t2, refused),
      isOpen: (peer) => this.#transports.get(peer.protocol)?.isOpen(peer) ?? false,
      sourceAccepted: (address) => this.#flood.accepted(address),
      portOf: (protocol) => this.#transports.get(protocol)?.port ?? null,
    };
  }

  get sipPort(): number {
    return this.#transports.get('udp')?.port ?? 0;
  }

  get tlsPort(): number | undefined {
    return this.#transports.get('tls')?.port;
  }

  get controlPort(): number {
    return this.#controlPort;
  }

  get counters(): Readonly<Counters> {
    return this.#counters;
  }

  get load(): GatewayLoad {
    return {
      dialogs: this.#tables.dialogCount,
      inbound: this.#tables.inbound.size,
      outbound: this.#tables.outbound.size,
      serverTransactions: this.#layer.serverCount,
      clientTransactions: this.#layer.clientCount,
      timers: this.#clock.pending,
      apps: this.#control.appCount,
    };
  }

  async open(): Promise<void> {
    const { bind, sipPort, tls } = this.#settings;
    const events: TransportEvents = {
      message: (text, peer) => this.#receive(text, peer),
      dropped: (peer, why) => {
        this.#counters.transportDrops++;
        this.#settings.log.debug({ peer, why }, 'transport dropped a message or connection');
      },
    };
    try {
      await this.#openUdpAndTcp(bind, sipPort, events);
      if (tls !== undefined) {
        this.#transports.set(
          'tls',
          await openStream(tlsKind(tls), bind, tls.port, events, this.#streamOptions()),
        );
      }
      this.#controlPort = await this.#control.listen();
    } catch (error) {
      await Promise.all([...this.#transports.values()].map((transport) => transport.close()));
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#clock.close();
    this.#layer.close();
    await Promise.all([
      this.#control.close(),
      ...[...this.#transports.values()].map((transport) => transport.close()),
    ]);
    // Timers started while closing (apps disconnect) must not outlive the gateway.
    this.#clock.close();
  }

  /** UDP and TCP share one port; a port that is free for one may not be free for the other. */
  async #openUdpAndTcp(bind: string, port: number, events: TransportEvents): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const udp = await openUdp(bind, port, events);
      try {
        this.#transports.set('tcp', await openStream(tcpKind, bind, udp.port, events, this.#streamOptions()));
        this.#transports.set('udp', udp);
        return;
      } catch (error) {
        await udp.close();
        if (port !== 0 || attempt >= PORT_ATTEMPTS) throw error;
      }
    }
  }

  /** Connections may outlive calls, so their timers are not among those that must end with them. */
  #streamOptions(): StreamOptions {
    return { clock: this.#settings.clock, isKnown: (address) => this.#flood.isKnown(address) };
  }

  #send(text: string, peer: Peer, failed: (error: Error) => void): void {
    const transport = this.#transports.get(peer.protocol);
    try {
      if (transport === undefined) throw new Error(`no ${peer.protocol} transport`);
      transport.send(text, peer, failed);
    } catch (error) {
      // Node throws for a destination that cannot exist, such as port 0. An exception would skip the caller's timers.
      queueMicrotask(() => failed(error instanceof Error ? error : new Error(String(error))));
    }
  }

  #receive(text: string, peer: Peer): void {
    try {
      const parsed = parseMessage(text);
      if (parsed === null) {
        this.#counters.malformed++;
        return;
      }
      const { message, fault } = parsed;
      if (message.status > 0) this.#receiveResponse(message, peer, fault);
      else this.#receiveRequest(message, peer, fault);
    } catch (error) {
      // A message must never terminate the process; after an exception the next one is handled.
      this.#counters.malformed++;
      this.#failed(error, 'message failed');
    }
  }

  #receiveResponse(message: SipMessage, peer: Peer, fault: Fault | null): void {
    this.#counters.responsesIn++;
    if (!isKnownResponse(this.#context, message) && this.#isFlood(peer)) return;
    if (fault !== null) this.#counters.malformed++;
    else this.#layer.receiveResponse(message, peer);
  }

  #receiveRequest(message: SipMessage, peer: Peer, fault: Fault | null): void {
    this.#counters.requestsIn++;
    const known = isKnownRequest(this.#context, message);
    if (!known && this.#isFlood(peer)) return;
    if (fault === null) {
      if (known || !needsContext(message)) this.#layer.receiveRequest(message, peer);
      else rejectStray(this.#context, message, peer);
      return;
    }
    this.#counters.refused++;
    if (message.method === 'ACK') return;
    const via = stampVia(message.viaText, message.via, peer.address, peer.port);
    this.#send(buildResponse(message, via, fault.status, fault.reason, randomId()), peer, () => undefined);
  }

  /** Takes a token of the source; true if none is left. */
  #isFlood(peer: Peer): boolean {
    if (this.#flood.allows(peer.address, this.#clock.now())) return false;
    this.#counters.flooded++;
    return true;
  }

  #sipCommand(app: App, id: string, fields: readonly string[], sip: string): void {
    const [txn = '', dialogId = '', route = ''] = fields;
    try {
      const message = parseAppMessage(sip);
      if (message.status > 0) {
        if (txn === '') {
          app.send(plainReply(id, 'NO', 'transaction id missing'));
          app.close();
        } else respondForApp(this.#context, app, id, txn, message);
      } else if (dialogId !== '') sendInDialog(this.#context, app, id, dialogId, message);
      else if (txn === '') sendNew(this.#context, app, id, route, message);
      else if (message.method === 'CANCEL') sendCancel(this.#context, app, id, txn, message);
      else app.send(plainReply(id, 'NOK', `invalid request-uri: ${message.startLine}`));
    } catch (error) {
      this.#failed(error, 'command failed');
      app.send(plainReply(id, 'NOK', 'Server error: command failed'));
    }
  }

  #failed(error: unknown, what: string): void {
    this.#settings.log.error({ err: String(error), stack: error instanceof Error ? error.stack : '' }, what);
  }

  /** Proxying is not supported; the app gets the error that it expects. */
  #proxyCommand(app: App, id: string, fields: readonly string[]): void {
    const txn = fields[0] ?? '';
    const known = this.#tables.inbound.has(txn);
    app.send(
      plainReply(
        id,
        'NOK',
        known ? 'Server error: proxy is not supported' : `Unknown transaction id: ${txn}`,
      ),
    );
  }

  #advertised(): { advertised: string; local: string } {
    const list = (host: string): string =>
      [...this.#transports.values()].map(({ protocol, port }) => `${protocol}/${host}:${port}`).join(',');
    const local = list(this.#addresses.ownAddressFor('127.0.0.1'));
    const { publicIp } = this.#settings;
    return {
      advertised: publicIp === undefined ? list(this.#addresses.ownAddressFor('')) : list(publicIp),
      local,
    };
  }
}
