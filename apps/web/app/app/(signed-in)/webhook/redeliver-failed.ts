/** Redelivers failed events in batches, with a limit. */
import { request, RequestProblem } from '#lib/dashboard/request.ts';

/** A fraction of the account's 1200 requests per minute. */
export const MAX_REDELIVERIES = 500;
const PAGE = 200;
const AT_ONCE = 4;

export interface RedeliverProgress {
  /** Null while they are counted. */
  found: number | null;
  sent: number;
  finished: boolean;
  /** There are more failed events. */
  more: boolean;
}

/** @throws RequestProblem when one is rejected for any reason except that it was deleted */
export async function redeliverFailed(
  from: Date,
  signal: AbortSignal,
  onProgress: (progress: RedeliverProgress) => void,
): Promise<void> {
  let sent = 0;
  onProgress({ found: null, sent, finished: false, more: false });
  const { ids, more } = await findFailed(from, signal);
  const say = (finished: boolean) => onProgress({ found: ids.length, sent, finished, more });
  say(false);
  const rest = ids.values();
  const work = async () => {
    for (const eventId of rest) {
      if (signal.aborted) return;
      await redeliver(eventId);
      sent += 1;
      say(false);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  say(true);
}

async function findFailed(from: Date, signal: AbortSignal): Promise<{ ids: string[]; more: boolean }> {
  const ids: string[] = [];
  let before: number | null = null;
  while (!signal.aborted) {
    const { events, nextBeforeId }: { events: { eventId: string }[]; nextBeforeId: number | null } =
      await request('GET', '/v1/events', {
        query: { status: 'FAILED', from, limit: PAGE, ...(before !== null && { before_id: before }) },
      });
    ids.push(...events.map(({ eventId }) => eventId));
    if (events.length < PAGE || nextBeforeId === null)
      return { ids: ids.slice(0, MAX_REDELIVERIES), more: false };
    if (ids.length > MAX_REDELIVERIES) return { ids: ids.slice(0, MAX_REDELIVERIES), more: true };
    before = nextBeforeId;
  }
  return { ids: [], more: false };
}

async function redeliver(eventId: string): Promise<void> {
  try {
    await request('POST', '/v1/events/{eventId}/redeliver', { path: { eventId } });
  } catch (problem) {
    // Deleted with its call in the meantime.
    if (!(problem instanceof RequestProblem && problem.code === 'not_found')) throw problem;
  }
}
