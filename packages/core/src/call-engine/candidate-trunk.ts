/** What the decision on an INVITE reads from the row of a trunk: its source addresses, number rules and tech prefixes. Pure. */
import { numberRules, techPrefixes } from '@clarion/protocol';
import type { NumberRules, TechPrefixes } from '@clarion/protocol';
import ipaddr from 'ipaddr.js';
import type { CandidateTrunk } from '../call-store/load-invite.ts';
import type { RefusalReason } from './refusal.ts';

/** A trunk on which the call has a tech prefix for the operator's rules. */
export interface PrefixCandidate {
  trunk: CandidateTrunk;
  prefix: string;
  /** What follows it. */
  rest: string;
}

/** Why the rule of a trunk accepts no call. */
export interface RuleRejection {
  trunk: CandidateTrunk;
  why: RefusalReason;
}

/**
 * Converts an IPv4-mapped IPv6 address to IPv4 and removes the zone of a link-local address (RFC 4007, section 11), which names an
 * interface of the gateway's host. Null if it is not an address.
 */
export function plainAddress(text: string): string | null {
  const [address = ''] = text.split('%');
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
}

export function listsSource(trunk: Pick<CandidateTrunk, 'inboundSourceCidrs'>, source: string): boolean {
  const address = ipaddr.process(source);
  return trunk.inboundSourceCidrs.some((cidr) => {
    const [network, bits] = cidr.includes('/') ? ipaddr.parseCIDR(cidr) : [ipaddr.parse(cidr), null];
    if (network.kind() !== address.kind()) return false;
    return address.match(network, bits ?? (network.kind() === 'ipv4' ? 32 : 128));
  });
}

export const rulesOf = (trunk: Pick<CandidateTrunk, 'numberRules'>): NumberRules | null =>
  numberRules.nullable().parse(trunk.numberRules);

export const prefixesOf = (trunk: Pick<CandidateTrunk, 'techPrefixes'>): TechPrefixes | null =>
  techPrefixes.nullable().parse(trunk.techPrefixes);
