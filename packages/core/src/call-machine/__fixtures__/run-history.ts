/** Steps a call through a history, with its agents reserved as in the database. */
import { isRelease } from '../effects.ts';
import type { Effect } from '../effects.ts';
import type { CallEvent } from '../event.ts';
import { step } from '../machine.ts';
import { reservedAgentIds, waitOf } from '../state.ts';
import type { CallState } from '../state.ts';
import { begin, FLOW, T0 } from './beginnings.ts';
import { usual } from './usual-events.ts';

interface Run {
  states: CallState[];
  effects: Effect[];
  now: number;
}

/** Agents whom the database has reserved for this call: by reserve or dispatch, until an effect releases them. */
class Held {
  readonly agents = new Set<number>();
  apply(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind !== 'agent') continue;
      if (effect.change === 'reserve') this.agents.add(effect.agentId);
      if (isRelease(effect.change)) this.agents.delete(effect.agentId);
    }
  }
}

export function run(
  from: keyof typeof begin,
  events: readonly (readonly [CallEvent | number, number])[],
  check: (
    before: CallState,
    after: CallState,
    effects: Effect[],
    held: Held,
    event: CallEvent,
  ) => void = () => undefined,
): Run {
  const first = begin[from]();
  const held = new Held();
  for (const id of reservedAgentIds(first.state)) held.agents.add(id);
  held.apply(first.effects);
  const states = [first.state];
  const effects = [...first.effects];
  let state = first.state;
  let now = T0;
  for (const [what, wait] of events) {
    now += wait;
    const event = typeof what === 'number' ? usual(state, what) : what;
    // Dispatch reserves idle agents before it offers them the call.
    const offered = event.type === 'offer' ? event.agentIds.filter((id) => !held.agents.has(id)) : [];
    if (event.type === 'offer' && offered.length === 0) continue;
    for (const id of offered) held.agents.add(id);
    const given = event.type === 'offer' ? { ...event, agentIds: offered } : event;
    // Dispatch offers only calls that wait in that queue, or whose flow requests the agent; no offer is made to others.
    if (given.type === 'offer' && !looksFor(state, given.queueId)) {
      for (const id of offered) held.agents.delete(id);
      continue;
    }
    const next = step(JSON.parse(JSON.stringify(state)) as CallState, given, now, FLOW);
    held.apply(next.effects);
    check(state, next.state, next.effects, held, given);
    state = next.state;
    states.push(state);
    effects.push(...next.effects);
  }
  return { states, effects, now };
}

const looksFor = (state: CallState, queueId: number | null): boolean =>
  queueId === null
    ? (state.phase === 'ivr' && state.seeking !== null) || state.phase === 'awaiting-owner'
    : waitOf(state)?.stops[0]?.queueId === queueId;
