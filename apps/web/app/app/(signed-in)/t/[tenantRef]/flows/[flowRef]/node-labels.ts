/** The title and the one-line summary of a node. */
import { nodeById } from '#lib/flow-builder/draft.ts';
import type { Draft, DraftNode } from '#lib/flow-builder/draft.ts';
import { factsIn, kindOf } from '#lib/flow-builder/kinds.ts';
import { exitLabel } from '#lib/flow-builder/labels.ts';
import type { FlowResources } from './use-flow-resources.ts';

export function titleOf({ type, data }: Pick<DraftNode, 'type' | 'data'>): string {
  const { label } = data;
  return typeof label === 'string' && label.trim() !== '' ? label.trim() : kindOf(type).title;
}

/** Its audio, target or opening hours; null: no summary. */
export function summaryOf(node: DraftNode, world: FlowResources): string | null {
  const { audio, target } = factsIn(node);
  if (target !== null && typeof target.id === 'number') {
    const among: readonly { id: number; name: string }[] =
      target.type === 'agent' ? world.agents : world.queues;
    return among.find(({ id }) => id === target.id)?.name ?? null;
  }
  const [sound] = audio;
  if (sound !== undefined) return world.sounds.find(({ id }) => id === sound.id)?.name ?? null;
  const { timezone, hours } = node.data;
  if (typeof timezone === 'string' && Array.isArray(hours)) return timezone.replaceAll('_', ' ');
  return null;
}

/** The accessible name of an edge, for example "Key 1, Main menu". */
export function exitName(draft: Draft, source: string, exit: string): string {
  const node = nodeById(draft, source);
  return node ? `${exitLabel(node.type, exit)}, ${titleOf(node)}` : exit;
}
