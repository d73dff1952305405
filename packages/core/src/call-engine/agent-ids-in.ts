/** The agents whom an event names, so that a step loads their rows before it is known which of them it changes. */
import type { CallEvent } from '../call-machine/event.ts';

export function agentIdsIn(event: CallEvent): number[] {
  const ids: (number | null)[] = [];
  if ('agentId' in event) ids.push(event.agentId);
  if ('agentIds' in event) ids.push(...event.agentIds);
  if (event.type === 'transfer' && event.to.kind === 'agent') ids.push(event.to.agentId);
  if (event.type === 'monitor-start') ids.push(event.monitor.agentId);
  return ids.filter((id) => id !== null);
}
