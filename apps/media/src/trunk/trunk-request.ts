/** What the commands for trunks have in common: the addresses of the trunk and a deadline for the whole request. */
import {
  CARRIER_REQUEST_TIMEOUT_MS,
  type CarrierReply,
  type NameFacts,
} from '@clarion/protocol/carrier-requests';
import type { TrunkTarget } from '@clarion/protocol/media';
import { CommandError, maySendTo, type NodeContext } from '../context.ts';
import {
  notLocated,
  requestCarrier,
  type CarrierAnswer,
  type CarrierRequest,
} from '../sip/carrier-request.ts';
import { locateTrunk, type Hop, type Located } from '../sip/trunk-addresses.ts';

/** A host name or an address, without characters that could end the URI or the header that contains it. */
const HOST = /^(?:[\w.-]+|\[?[\da-f:.]+\]?)$/i;

/** A request to a trunk, to whichever of its addresses responds. */
export type TrunkRequest = Omit<CarrierRequest, 'hop' | 'deadlineMs' | 'target'>;

/** @throws CommandError `invalid_command`, `capacity` */
export function requireSip(node: NodeContext, { host, identity }: TrunkTarget): void {
  if (!HOST.test(host) || !HOST.test(identity.fromDomain ?? host)) {
    throw new CommandError('invalid_command', 'the trunk’s host is not valid in a SIP URI');
  }
  if (!node.sipUp()) throw new CommandError('capacity', 'the SIP server is not connected');
}

export const deadline = (): number => performance.now() + CARRIER_REQUEST_TIMEOUT_MS;

/** As for calls: the operator's own trunk may have a private host. Never throws. */
export const locate = (node: NodeContext, target: TrunkTarget): Promise<Located> =>
  locateTrunk(target, node.dns, target.platform === true ? () => true : maySendTo(node));

export async function requestTrunk(
  node: NodeContext,
  target: TrunkTarget,
  request: TrunkRequest,
): Promise<CarrierAnswer> {
  const deadlineMs = deadline();
  const { hops, facts } = await locate(node, target);
  return requestHops(node, target, { ...request, hops, facts, deadlineMs });
}

/** The first address; if it does not respond, the second one in the rest of the time. */
export async function requestHops(
  node: NodeContext,
  target: TrunkTarget,
  {
    hops: [first, second],
    facts,
    deadlineMs,
    ...request
  }: TrunkRequest & { hops: Hop[]; facts: NameFacts; deadlineMs: number },
): Promise<CarrierAnswer> {
  if (!first) return notSent(notLocated(target, facts));
  const nowMs = performance.now();
  const firstUntilMs = second ? nowMs + (deadlineMs - nowMs) / 2 : deadlineMs;
  const answer = await requestCarrier(node.srf, { ...request, target, hop: first, deadlineMs: firstUntilMs });
  if (answer.response !== null || !second) return answer;
  const next = await requestCarrier(node.srf, { ...request, target, hop: second, deadlineMs });
  return next.response === null ? answer : next;
}

const notSent = (reply: CarrierReply): CarrierAnswer => ({ reply, request: null, response: null });
