/** The queue of a call and its overflow chain, as of the creation of the call. */
import type { Prisma, Tx } from '@clarion/db';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';

/** Longer overflow chains are cut off. */
const MAX_OVERFLOW_HOPS = 20;

const withHoldAudio = { include: { holdAudioAsset: { select: { pcm8kKey: true } } } } as const;

/** The queue and those to which it overflows, each once. */
export async function overflowChain(tx: Tx, queueId: number): Promise<OverflowHop[]> {
  const stops: OverflowHop[] = [];
  let next: number | null = queueId;
  while (next !== null && stops.length < MAX_OVERFLOW_HOPS && !stops.some((stop) => stop.queueId === next)) {
    const queue: Prisma.QueueGetPayload<typeof withHoldAudio> = await tx.queue.findUniqueOrThrow({
      where: { id: next },
      ...withHoldAudio,
    });
    stops.push({
      queueId: queue.id,
      ref: queue.ref,
      ringTimeoutSeconds: queue.ringTimeoutSeconds,
      maxWaitSeconds: queue.maxWaitSeconds,
      holdAudio: queue.holdAudioAsset?.pcm8kKey ?? null,
      wrapUpSeconds: queue.wrapUpSeconds,
      announce: {
        position: queue.announcePosition,
        wait: queue.announceWait,
        everySeconds: queue.announceEverySeconds,
      },
      callbackKey: queue.callbackKey,
      skillsWaitSeconds: queue.skillsWaitSeconds,
      answerWhileWaiting: queue.answerWhileWaiting,
    });
    next = queue.overflowQueueId;
  }
  return stops;
}
