'use client';

/** The ladder of an ended call, polled until it is stored, which takes a moment. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { queryKey } from '#lib/dashboard/queries.ts';
import { request, type Answer, type RequestProblem } from '#lib/dashboard/request.ts';

export const LADDER_PATH = '/v1/calls/{callId}/ladder';
const POLL_MS = 2_000;
/** Of a call that ended longer ago than this, none will arrive. */
const EXPECTED_MS = 30_000;
const MAX_POLLS = EXPECTED_MS / POLL_MS;

type Ladder = Answer<'GET', typeof LADDER_PATH>;

export function useLadder(callId: number, endedAt: string): UseQueryResult<Ladder, RequestProblem> {
  return useQuery<Ladder, RequestProblem>({
    queryKey: queryKey(LADDER_PATH, { path: { callId } }),
    queryFn: ({ signal }) => request('GET', LADDER_PATH, { path: { callId } }, { signal }),
    refetchInterval: ({ state: { data, errorUpdateCount } }) =>
      data === undefined &&
      errorUpdateCount < MAX_POLLS &&
      Date.now() - Date.parse(endedAt) < EXPECTED_MS + POLL_MS
        ? POLL_MS
        : false,
  });
}
