/** The agents whom an event or a state names, so that a step has their rows before it is known which of them it changes. */
import type { CallEvent } from '../call-machine/event.ts';

export function agentIdsIn(event: CallEvent): number[] {
  const ids: (number | null)[] = [];
  if ('agentId' in event) ids.push(event.agentId);
  if ('agentIds' in event) ids.push(...event.agentIds);
  if (event.type === 'transfer' && event.to.kind === 'agent') ids.push(event.to.agentId);
  if (event.type === 'monitor-start') ids.push(event.monitor.agentId);
  return ids.filter((id) => id !== null);
}

/** As `load_step` finds them: every `agentId` in the state. */
export function agentIdsNamedBy(state: unknown): number[] {
  if (typeof state !== 'object' || state === null) return [];
  return Object.entries(state).flatMap(([key, value]: [string, unknown]) =>
    key === 'agentId' && typeof value === 'number' ? [value] : agentIdsNamedBy(value),
  );
}
