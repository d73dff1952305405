/** The embedded SIP server: drachtio's control protocol on one side, SIP on the other. */
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
  /** What is going on right now. */
  readonly load: GatewayLoad;
  readonly counters: Readonly<Counters>;
  close(): Promise<void>;
}

/** Opens every port; rejects when one is taken. */
export async function startSipGateway(options: SipGatewayOptions): Promise<SipGateway> {
  const gateway = new Gateway(resolveOptions(options));
  await gateway.open();
  return gateway;
}
