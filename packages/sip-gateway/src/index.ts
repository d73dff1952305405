/** The embedded SIP server: drachtio's control protocol towards the app, SIP towards the network. */
import type { Counters } from './agent/counters.ts';
import { Gateway } from './gateway.ts';
import type { GatewayLoad } from './gateway.ts';
import type { SipGatewayOptions } from './options.ts';
import { resolveOptions } from './options.ts';

export type { Counters, GatewayLoad, SipGatewayOptions };
export type { Log, LogLevel } from './log.ts';
export { jsonLog } from './log.ts';

/** A running gateway. */
export interface SipGateway {
  /** Port of SIP over UDP and TCP. */
  readonly sipPort: number;
  readonly tlsPort: number | undefined;
  readonly controlPort: number;
  /** The current number of dialogs, requests, transactions and timers. */
  readonly load: GatewayLoad;
  readonly counters: Readonly<Counters>;
  close(): Promise<void>;
}

/** Opens all ports; rejects if one is in use. */
export async function startSipGateway(options: SipGatewayOptions): Promise<SipGateway> {
  const gateway = new Gateway(resolveOptions(options));
  await gateway.open();
  return gateway;
}
