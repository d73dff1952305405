/**
 * Who hears whom while the call is answered (docs/requirements.md#media), of everything that can be at once: hold, a transfer, and
 * people who listen, whisper or barge. Every route of phase `talking` is made here.
 *
 * The customer hears the agent and whoever barges; the agent hears the customer and whoever whispers or barges; a monitor
 * hears the customer, the agent and the others who barge. On hold and during a transfer the customer hears hold audio
 * alone, monitors hear the customer alone, and the agent nobody but who whispers or barges; one who transfers hears
 * ring-back besides.
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

/** Something has changed who hears whom. */
export function rerouted(state: TalkingState, effects: Effect[]): Step<TalkingState> {
  const { state: next, effect } = routed(state, conversationRoute(state));
  return { state: next, effects: [...effects, effect] };
}

/** The leg that plays now: a new one that has not connected yet leaves the one before it playing. */
const playingLegOf = ({ connected, legId, previous }: AgentSide): string =>
  connected || !previous ? legId : previous.legId;

const leg = (legId: string): Source => ({ kind: 'leg', legId });
const legs = (monitors: Monitor[]): Source[] => monitors.map(({ legId }) => leg(legId));
