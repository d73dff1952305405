import type { LegEnd, MediaCommandPayload } from '@clarion/protocol/media';
import { CommandError, reportConnected, localMedia, openCarrierLeg, type NodeContext } from '../context.ts';
import { tracedSrf } from '../ladder/traced-srf.ts';
import type { CarrierLeg } from '../leg/carrier-leg.ts';
import { monotonicTime } from '../monotonic-time.ts';
import { dialTerms } from '../sip/dial-terms.ts';
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
  const agentLaw = node.calls.find(input.callId)?.agents[0]?.law;
  const routes = input.attempts.map((attempt): DialRoute => ({
    ...attempt,
    terms: dialTerms(attempt.trunk, agentLaw),
  }));
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

/** The addresses that we dial also belong to the trunk; `addressSet` ignores host names. */
const sourcesOf = ({ sourceCidrs, host, destinations }: DialRoute['trunk']): string[] => [
  ...sourceCidrs,
  ...[host, ...destinations.map((destination) => destination.host)].map((name) =>
    name.replace(/^\[(.*)\]$/, '$1'),
  ),
];

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
    onDescription: (agreed) => leg.applyDescription(agreed),
    onAnswered: (trunkId) => {
      leg.state = 'CONNECTED';
      node.calls.find(callId)?.changed();
      reportConnected(node, leg, { trunkId });
    },
    onDigit: (digit) => leg.receiveInfoDigit(digit),
    onEnd: (end: LegEnd) => node.calls.end(leg, end),
  });
}
