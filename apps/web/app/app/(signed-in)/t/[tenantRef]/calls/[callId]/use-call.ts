'use client';

/** One call, polled while it is live or its recording is being processed. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { CallDetail } from '#lib/dashboard/calls/timeline.ts';
import { queryKey } from '#lib/dashboard/queries.ts';
import { request, type RequestProblem } from '#lib/dashboard/request.ts';

const POLL_MS = 2_000;
const PATH = '/v1/calls/{callId}';

export function useCall(callId: number): UseQueryResult<CallDetail, RequestProblem> {
  return useQuery<CallDetail, RequestProblem>({
    queryKey: queryKey(PATH, { path: { callId } }),
    queryFn: ({ signal }) => request('GET', PATH, { path: { callId } }, { signal }),
    refetchInterval: ({ state: { data } }) => (data && isMoving(data) ? POLL_MS : false),
  });
}

const isMoving = ({ call, recording }: CallDetail): boolean =>
  call.endedAt === null || recording?.status === 'recording' || recording?.status === 'processing';
