/** What a node is called, and what it does, in a line. */
import { nodeById } from '../../../../../../../lib/flow-builder/draft.ts';
import type { Draft, DraftNode } from '../../../../../../../lib/flow-builder/draft.ts';
import { factsIn, kindOf } from '../../../../../../../lib/flow-builder/kinds.ts';
import { exitLabel } from '../../../../../../../lib/flow-builder/words.ts';
import type { World } from './use-world.ts';

export function titleOf({ type, data }: Pick<DraftNode, 'type' | 'data'>): string {
  const { label } = data;
  return typeof label === 'string' && label.trim() !== '' ? label.trim() : kindOf(type).title;
}

/** The sound it plays, whom it hands over to, when it is open; null: there is nothing to say. */
export function summaryOf(node: DraftNode, world: World): string | null {
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

/** "Key 1, Main menu": an edge by where it leaves. */
export function wayWords(draft: Draft, source: string, exit: string): string {
  const node = nodeById(draft, source);
  return node ? `${exitLabel(node.type, exit)}, ${titleOf(node)}` : exit;
}
