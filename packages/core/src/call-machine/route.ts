/**
 * Who hears whom in an answered call (docs/requirements.md#media), for every combination of hold, transfer and monitors. Every route of
 * phase `talking` is built here.
 *
 * The customer hears the agent and monitors who barge. The agent hears the customer and monitors who whisper or barge. A monitor hears the
 * customer, the agent and other monitors who barge. On hold and during a transfer the customer hears only hold audio, monitors hear only
 * the customer, and the agent hears only monitors who whisper or barge; an agent who transfers also hears ringback.
 */
import type { Route, Source } from '@clarion/protocol/media';
import type { Effect } from './effects.ts';
import type { AgentSide, Monitor, TalkingState } from './state.ts';
import { holdSources } from './hold-audio.ts';
import { routed } from './shared.ts';
import type { Step } from './shared.ts';

export type Conversation = Pick<
  TalkingState,
  'agent' | 'carrierLegId' | 'held' | 'queue' | 'transfer' | 'monitors'
>;

export function conversationRoute(state: Conversation): Route {
  const { carrierLegId, transfer, held } = state;
  const agentLegId = playingLegOf(state.agent);
  const present = state.monitors.filter(({ connected }) => connected);
  const barging = present.filter(({ mode }) => mode === 'BARGE');
  const towardsAgent = legs(present.filter(({ mode }) => mode !== 'LISTEN'));
  const apart = held || transfer !== null;
  const customer: Source[] = apart ? holdSources(state.queue) : [leg(agentLegId), ...legs(barging)];
  const agent: Source[] = apart
    ? [...(transfer ? [{ kind: 'tone', tone: 'ringback' } as const] : []), ...towardsAgent]
    : [leg(carrierLegId), ...towardsAgent];
  const monitors = present.map(({ legId }): [string, Source[]] => [
    legId,
    apart
      ? [leg(carrierLegId)]
      : [leg(carrierLegId), leg(agentLegId), ...legs(barging.filter((other) => other.legId !== legId))],
  ]);
  return { [carrierLegId]: customer, [agentLegId]: agent, ...Object.fromEntries(monitors) };
}

/** Sends the route after a change of who hears whom. */
export function rerouted(state: TalkingState, effects: Effect[]): Step<TalkingState> {
  const { state: next, effect } = routed(state, conversationRoute(state));
  return { state: next, effects: [...effects, effect] };
}

/** The leg that is connected now: until a new leg connects, the previous one stays in the route. */
const playingLegOf = ({ connected, legId, previous }: AgentSide): string =>
  connected || !previous ? legId : previous.legId;

const leg = (legId: string): Source => ({ kind: 'leg', legId });
const legs = (monitors: Monitor[]): Source[] => monitors.map(({ legId }) => leg(legId));
