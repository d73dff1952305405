import type { DialAttempt, LegEnd, MediaCommandPayload } from '@clarion/protocol/media';
import { CommandError, reportConnected, localMedia, openCarrierLeg, type NodeContext } from '../context.ts';
import type { CarrierLeg } from '../leg/carrier-leg.ts';
import { monotonicTime } from '../monotonic-time.ts';
import type { Law } from '../rtp/g711.ts';
import { dialTerms } from '../sip/dial-terms.ts';
import { OutboundCall } from '../sip/outbound.ts';

/** A host name or an address, without characters that could end the URI or the header that contains it. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])$/i;
const CALLED = /^[^\s<>"]+$/;

/** Sends an INVITE. Resolves once the leg exists. Repeated for the same leg, it does nothing. */
export async function carrierDial(
  node: NodeContext,
  input: MediaCommandPayload<'carrier:dial'>,
): Promise<object> {
  if (node.calls.leg(input.callId, input.legId)) return {};
  const [{ trunk, called }] = input.attempts as [DialAttempt];
  if (!HOST.test(trunk.host) || !CALLED.test(called)) {
    throw new CommandError(
      'invalid_command',
      'the trunk’s host or the called number is not valid in a SIP URI',
    );
  }
  if (trunk.srtp && trunk.transport !== 'TLS') {
    throw new CommandError('invalid_command', 'the keys of encrypted audio may be sent only over TLS');
  }
  if (!node.sipUp()) throw new CommandError('capacity', 'the SIP server is not connected');
  await node.calls.withCall(input.callId, async (call) => {
    const leg = await openCarrierLeg(node, call, {
      kind: 'carrier-out',
      legId: input.legId,
      // The address that we dial also belongs to the trunk; `addressSet` ignores host names.
      sourceCidrs: [...trunk.sourceCidrs, trunk.host.replace(/^\[(.*)\]$/, '$1')],
      localEndpointOnly: trunk.localEndpointOnly,
    });
    const outbound = createOutboundCall(node, leg, input, call.agents[0]?.law);
    node.calls.add(call, leg, outbound);
    outbound.dial();
  });
  return {};
}

function createOutboundCall(
  node: NodeContext,
  leg: CarrierLeg,
  input: MediaCommandPayload<'carrier:dial'>,
  agentLaw: Law | undefined,
): OutboundCall {
  const { callId, legId } = input;
  const [attempt] = input.attempts as [DialAttempt];
  return new OutboundCall({
    srf: node.srf,
    ...attempt,
    ringTimeoutMs: input.ringTimeoutMs,
    terms: dialTerms(attempt.trunk, agentLaw),
    local: localMedia(node, leg),
    probeIntervalMs: node.probeIntervalMs,
    log: node.log,
    onRinging: () => {
      leg.state = 'RINGING';
      node.report('leg:ringing', { callId, legId, at: monotonicTime() });
    },
    onAnswerFrom: (address) => leg.answeredFrom(address),
    onDescription: (agreed) => leg.applyDescription(agreed),
    onAnswered: () => {
      leg.state = 'CONNECTED';
      node.calls.find(callId)?.changed();
      reportConnected(node, leg);
    },
    onDigit: (digit) => leg.receiveInfoDigit(digit),
    onEnd: (end: LegEnd) => node.calls.end(leg, end),
  });
}
