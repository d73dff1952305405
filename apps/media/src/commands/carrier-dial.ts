import type { LegEnd, MediaCommandPayload } from '@clarion/protocol/media';
import { CommandError, reportConnected, localMedia, openCarrierLeg, type NodeContext } from '../context.ts';
import { tracedSrf } from '../ladder/traced-srf.ts';
import type { CarrierLeg } from '../leg/carrier-leg.ts';
import { monotonicTime } from '../monotonic-time.ts';
import type { Law } from '../rtp/g711.ts';
import type { DialRoute } from '../sip/dialling.ts';
import { OutboundCall } from '../sip/outbound.ts';

/** A user part or a complete URI, without characters that could end the URI or the header that contains it. */
const CALLED = /^[^\s<>"]+$/;

/** Places a call. Resolves once the leg exists. Repeated for the same leg, it does nothing. */
export async function carrierDial(
  node: NodeContext,
  input: MediaCommandPayload<'carrier:dial'>,
): Promise<object> {
  if (node.calls.leg(input.callId, input.legId)) return {};
  if (input.attempts.some(({ called }) => !CALLED.test(called)))
    throw new CommandError('invalid_command', 'the called number is not valid in a SIP URI');
  if (!node.sipUp()) throw new CommandError('capacity', 'the SIP server is not connected');
  const agents = node.calls.find(input.callId)?.agents[0]?.law;
  const routes = input.attempts
    .map((attempt): DialRoute => ({ ...attempt, laws: dialLaws(lawsOf(attempt.trunk.codecs), agents) }))
    .filter(({ laws }) => laws.length > 0);
  if (routes.length === 0) throw new CommandError('invalid_command', 'no trunk allows any codec');
  await node.calls.withCall(input.callId, async (call) => {
    const leg = await openCarrierLeg(node, call, {
      kind: 'carrier-out',
      legId: input.legId,
      sourceCidrs: routes.flatMap(({ trunk }) => sourcesOf(trunk)),
      localEndpointOnly: routes.some(({ trunk }) => trunk.localEndpointOnly),
    });
    const outbound = createOutboundCall(node, leg, input, routes);
    node.calls.add(call, leg, outbound);
    outbound.dial();
  });
  return {};
}

const lawsOf = (codecs: DialRoute['trunk']['codecs']): Law[] => codecs.filter((codec) => codec !== 'G722');

/** The addresses that we dial also belong to the trunk; `addressSet` ignores host names. */
const sourcesOf = ({ sourceCidrs, host, destinations }: DialRoute['trunk']): string[] => [
  ...sourceCidrs,
  ...[host, ...destinations.map((destination) => destination.host)].map((name) =>
    name.replace(/^\[(.*)\]$/, '$1'),
  ),
];

/** Puts the agent's codec first: if the carrier accepts it, nothing is transcoded. */
export function dialLaws(allowed: readonly Law[], agents: Law | undefined): Law[] {
  const laws = [...new Set(allowed)];
  return agents !== undefined && laws.includes(agents)
    ? [agents, ...laws.filter((law) => law !== agents)]
    : laws;
}

function createOutboundCall(
  node: NodeContext,
  leg: CarrierLeg,
  { callId, legId, ringTimeoutMs }: MediaCommandPayload<'carrier:dial'>,
  routes: readonly DialRoute[],
): OutboundCall {
  return new OutboundCall({
    srf: tracedSrf(node.srf, (sipCallId) => node.ladders.bindLeg(sipCallId, leg)),
    dial: node.dial,
    routes,
    ringTimeoutMs,
    local: localMedia(node, leg),
    probeIntervalMs: node.probeIntervalMs,
    log: node.log.child({ callId, legId }),
    onRinging: (trunkId) => {
      leg.state = 'RINGING';
      node.report('leg:ringing', { callId, legId, at: monotonicTime(), trunkId });
    },
    onAnswerFrom: (address) => leg.answeredFrom(address),
    onDescription: (remote, agreed) => leg.applyDescription({ remote, laws: agreed }),
    onAnswered: (trunkId) => {
      leg.state = 'CONNECTED';
      node.calls.find(callId)?.changed();
      reportConnected(node, leg, { trunkId });
    },
    onDigit: (digit) => leg.receiveInfoDigit(digit),
    onEnd: (end: LegEnd) => node.calls.end(leg, end),
  });
}
