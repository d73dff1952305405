/** The processes of the platform, for the operator. */
import type { OperatorCtx } from './operator.ts';

/** Nodes send a heartbeat every few seconds. One that was silent for this long is not listed. */
const ALIVE_MS = 15_000;

export const aliveSince = (now: Date): { gt: Date } => ({ gt: new Date(now.getTime() - ALIVE_MS) });

export interface PlatformNode {
  /** A worker process is listed once for each queue that it works on. */
  kind: 'media' | 'realtime' | 'worker';
  id: string;
  /** ok; draining: waits for its calls to end and gets no new ones; overloaded: rejects new calls. */
  state: 'ok' | 'draining' | 'overloaded';
  /** Of media: legs of all kinds, as last reported. */
  legs: number | null;
  /** Of media: the number of carrier legs that it has ports for. */
  capacity: number | null;
  /** The last heartbeat; of media, when a realtime node last saw it. */
  seenAt: string;
}

export async function listNodes({ db, now }: OperatorCtx): Promise<PlatformNode[]> {
  const orderBy = { id: 'asc' } as const;
  const alive = { heartbeatAt: aliveSince(now) };
  const media = await db.mediaNode.findMany({ where: { seenAt: aliveSince(now) }, orderBy });
  const realtime = await db.realtimeNode.findMany({ where: alive, orderBy });
  const workers = await db.workerNode.findMany({ where: alive, orderBy });
  return [
    ...media.map(({ id, draining, legs, capacity, seenAt }) =>
      node('media', id, draining ? 'draining' : 'ok', seenAt, { legs, capacity }),
    ),
    ...realtime.map(({ id, overloadedUntil, heartbeatAt }) =>
      node(
        'realtime',
        id,
        overloadedUntil !== null && overloadedUntil > now ? 'overloaded' : 'ok',
        heartbeatAt,
      ),
    ),
    ...workers.map(({ id, heartbeatAt }) => node('worker', id, 'ok', heartbeatAt)),
  ];
}

const node = (
  kind: PlatformNode['kind'],
  id: string,
  state: PlatformNode['state'],
  seenAt: Date,
  { legs, capacity }: { legs: number | null; capacity: number | null } = { legs: null, capacity: null },
): PlatformNode => ({ kind, id, state, legs, capacity, seenAt: seenAt.toISOString() });
