/**
 * Whether the service runs in production or in trial mode. Everything that is only safe while no other machine can reach it
 * (the demo account, the simulator of WhatsApp, private egress, the local inbox, a generated master key) depends on this decision.
 */
import { isIPv4 } from 'node:net';
import { UserError } from '../terminal/log.ts';

interface Addresses {
  bind: string;
  baseUrl: string;
  appUrl: string;
}

export interface Mode {
  production: boolean;
  /** Completes "because …". */
  reason: string;
}

/** `asked` is the value of CLARION_PRODUCTION. @throws UserError if it requests trial mode but other machines can reach the service */
export function modeOf({ asked = '', ...addresses }: Addresses & { asked: string | undefined }): Mode {
  if (!['', '0', '1'].includes(asked)) throw new UserError(`CLARION_PRODUCTION must be 1 or 0, not ${asked}`);
  if (asked === '1') return { production: true, reason: 'CLARION_PRODUCTION is 1' };
  const reachable = whatOthersReach(addresses);
  if (reachable === undefined) {
    return {
      production: false,
      reason: 'CLARION_BIND, CLARION_BASE_URL and CLARION_APP_URL are loopback addresses',
    };
  }
  if (asked === '0') {
    throw new UserError(
      `CLARION_PRODUCTION=0 requires that only this machine can reach the service, but ${reachable}`,
    );
  }
  return { production: true, reason: reachable };
}

function whatOthersReach({ bind, baseUrl, appUrl }: Addresses): string | undefined {
  if (!isLoopback(bind)) return `CLARION_BIND is ${bind}, which other machines can reach`;
  for (const [name, url] of [
    ['CLARION_BASE_URL', baseUrl],
    ['CLARION_APP_URL', appUrl],
  ] as const) {
    if (!URL.canParse(url))
      throw new UserError(`${name} must be a URL such as https://calls.example.com, not ${url}`);
    if (!isLoopback(new URL(url).hostname))
      return `${name} is ${url}, which is not an address of this machine`;
  }
  return undefined;
}

/** RFC 5735 section 3 and RFC 4291 section 2.5.3; the only name that counts is `localhost` (RFC 6761 section 6.3). */
const isLoopback = (host: string) =>
  ['localhost', '::1', '[::1]'].includes(host) || (isIPv4(host) && host.startsWith('127.'));
