/**
 * Whether a copy is in production or somebody tries it out. Everything that is only right while nobody but this machine reaches it
 * (the demo account, private egress, the local inbox, a generated master key) depends on this one decision.
 */
import { isIPv4 } from 'node:net';
import { Sorry } from './log.mjs';

/**
 * @param {{ bind: string, baseUrl: string, appUrl: string, asked: string | undefined }} settings `asked` is CLARION_PRODUCTION as set
 * @returns {{ production: boolean, reason: string }} the reason completes "because …"
 * @throws {Sorry} when trying out is asked for and other machines may reach this copy
 */
export function modeOf({ bind, baseUrl, appUrl, asked = '' }) {
  if (!['', '0', '1'].includes(asked)) throw new Sorry(`CLARION_PRODUCTION must be 1 or 0, not ${asked}`);
  if (asked === '1') return { production: true, reason: 'CLARION_PRODUCTION is 1' };
  const reachable = whatOthersReach({ bind, baseUrl, appUrl });
  if (reachable === undefined) {
    return {
      production: false,
      reason: 'CLARION_BIND, CLARION_BASE_URL and CLARION_APP_URL are addresses of this machine alone',
    };
  }
  if (asked === '0') {
    throw new Sorry(`CLARION_PRODUCTION=0 is for a copy that only this machine reaches, but ${reachable}`);
  }
  return { production: true, reason: reachable };
}

function whatOthersReach({ bind, baseUrl, appUrl }) {
  if (!isLoopback(bind)) return `CLARION_BIND is ${bind}, which other machines may reach`;
  for (const [name, url] of [
    ['CLARION_BASE_URL', baseUrl],
    ['CLARION_APP_URL', appUrl],
  ]) {
    if (!URL.canParse(url))
      throw new Sorry(`${name} must be a URL such as https://calls.example.com, not ${url}`);
    if (!isLoopback(new URL(url).hostname))
      return `${name} is ${url}, which is not an address of this machine`;
  }
  return undefined;
}

/** RFC 5735 section 3 and RFC 4291 section 2.5.3; a name is only believed when it is `localhost` (RFC 6761 section 6.3). */
const isLoopback = (host) =>
  ['localhost', '::1', '[::1]'].includes(host) || (isIPv4(host) && host.startsWith('127.'));
