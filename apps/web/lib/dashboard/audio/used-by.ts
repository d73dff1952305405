/** Which queues and flows use each audio asset. Pure. */
import type { Flow, Queue } from '../edit/resources.ts';

export interface AudioUse {
  kind: 'queue' | 'flow';
  ref: string;
  name: string;
}

export function usesOf(
  queues: readonly Pick<Queue, 'ref' | 'name' | 'holdAudioAssetId'>[],
  flows: readonly Pick<Flow, 'ref' | 'name' | 'structure'>[],
): ReadonlyMap<number, AudioUse[]> {
  const uses = new Map<number, AudioUse[]>();
  const note = (id: unknown, use: AudioUse) => {
    if (typeof id !== 'number') return;
    const known = uses.get(id) ?? [];
    if (!known.some(({ kind, ref }) => kind === use.kind && ref === use.ref)) uses.set(id, [...known, use]);
  };
  for (const { ref, name, holdAudioAssetId } of queues) note(holdAudioAssetId, { kind: 'queue', ref, name });
  for (const { ref, name, structure } of flows) {
    for (const { data } of structure.nodes) {
      if (typeof data === 'object' && data !== null && 'audioFileId' in data)
        note(data.audioFileId, { kind: 'flow', ref, name });
    }
  }
  return uses;
}
