import type { MediaCommandPayload } from '@clarion/protocol/media';
import { CommandError, reportPlayed, type NodeContext } from '../context.ts';
import { AgentLeg, type AgentEvent } from '../leg/agent-leg.ts';
import { monotonicTime } from '../monotonic-time.ts';
import type { CallMedia } from '../route/call-media.ts';
import type { Law } from '../rtp/g711.ts';
import { BadSdp } from '../sdp/browser.ts';
import { InboundCall } from '../sip/inbound.ts';
import { localEnd } from '../sip/leg-end.ts';
import { setRoute } from './call-route.ts';

type Answers = NonNullable<MediaCommandPayload<'agent:connect'>['answers']>;

/** Time limit for a browser to complete ICE and DTLS. */
export const AGENT_CONNECT_TIMEOUT_MS = 20_000;

/** Creates an agent leg from a browser's offer. Repeated for the same leg, it returns the same SDP answer. */
export async function agentConnect(
  node: NodeContext,
  input: MediaCommandPayload<'agent:connect'>,
): Promise<{ sdpAnswer: string }> {
  const { callId, legId } = input;
  const known = node.calls.leg(callId, legId);
  if (known) {
    if (known.side !== 'agent') throw new CommandError('invalid_state', 'the leg is a customer’s leg');
    return { sdpAnswer: known.sdpAnswer };
  }
  return await node.calls.withCall(callId, (call) => connect(node, call, input));
}

async function connect(
  node: NodeContext,
  call: CallMedia,
  input: MediaCommandPayload<'agent:connect'>,
): Promise<{ sdpAnswer: string }> {
  const { callId, legId } = input;
  try {
    const leg = await AgentLeg.create({
      kind: input.as ?? 'agent',
      callId,
      legId,
      media: call.media,
      ticker: node.ticker,
      clips: node.clips,
      onPlayed: reportPlayed(node, callId, legId),
      sdpOffer: input.sdpOffer,
      laws: lawsOf(call, input.replaces),
      replaces: input.replaces ?? null,
      onEvent: (event) => handleAgentEvent(node, call, { leg, answers: input.answers }, event),
    });
    node.calls.add(call, leg);
    endUnlessConnected(node, leg);
    return { sdpAnswer: leg.sdpAnswer };
  } catch (error) {
    if (error instanceof BadSdp) throw new CommandError('bad_sdp', error.message);
    throw error;
  }
}

/** The customer's codec, so that nothing is transcoded; without a customer's leg, the codec of the replaced leg. */
function lawsOf(call: CallMedia, replaces: string | undefined): Law[] {
  const customer = call.customers.find((leg) => leg.laws.length > 0);
  if (customer) return customer.laws.map(({ law }) => law);
  const replaced = call.agents.find((leg) => leg.legId === replaces) ?? call.agents[0];
  return replaced ? [replaced.law] : [];
}

function handleAgentEvent(
  node: NodeContext,
  call: CallMedia,
  { leg, answers }: { leg: AgentLeg; answers: Answers | undefined },
  event: AgentEvent,
): void {
  // The transport of a leg that has ended is closed a little later.
  if (call.legs.get(leg.legId) !== leg) return;
  const fact = { callId: leg.callId, legId: leg.legId, at: monotonicTime() };
  if (event === 'connected') {
    const replaced = leg.replaces === null ? undefined : node.calls.leg(leg.callId, leg.replaces);
    if (leg.replaces !== null) call.rename(leg.replaces, leg.legId);
    const connected = { ...fact, codec: leg.law };
    if (answers && answerCustomer(node, call, answers)) node.reportAnswering(answers.legId, connected);
    else node.report('leg:connected', connected);
    if (replaced) node.calls.hangup(replaced, { end: localEnd('local', `replaced by ${leg.legId}`) });
  } else {
    node.report(event === 'interrupted' ? 'leg:interrupted' : 'leg:restored', fact);
  }
  call.changed();
}

/** @returns false if the leg does not ring any more: nothing was done */
function answerCustomer(node: NodeContext, call: CallMedia, { legId, ...route }: Answers): boolean {
  const signalling = node.calls.signalling(legId);
  if (!(signalling instanceof InboundCall) || !signalling.isRinging) return false;
  // First, so that the caller's first words are not lost.
  setRoute(node, call, route);
  signalling.answer().catch((error: unknown) => {
    // The leg has ended, which is reported.
    node.log.warn({ err: error, callId: call.callId, legId }, 'failed to answer a call');
  });
  return true;
}

function endUnlessConnected(node: NodeContext, leg: AgentLeg): void {
  const timer = setTimeout(() => {
    if (leg.state === 'CONNECTING') {
      node.calls.hangup(leg, { end: localEnd('media-error', 'the browser did not connect in time') });
    }
  }, AGENT_CONNECT_TIMEOUT_MS);
  leg.transport.observer.once('close', () => clearTimeout(timer));
}
