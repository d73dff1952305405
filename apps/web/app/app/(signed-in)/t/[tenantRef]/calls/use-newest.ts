'use client';

/** Calls newest first, polled, with older calls on request (`before_id`). */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { queryOf } from '#lib/dashboard/calls/filters.ts';
import type { Call } from '#lib/dashboard/calls/outcome-labels.ts';
import { request, type Answer, type RequestProblem } from '#lib/dashboard/request.ts';

const PAGE_ROWS = 50;
const POLL_MS = 5_000;
const PATH = '/v1/tenants/{tenantRef}/calls';

type List = Answer<'GET', typeof PATH>;

export interface Newest {
  calls: readonly Call[] | undefined;
  problem: RequestProblem | null;
  busy: boolean;
  done: boolean;
  more(): void;
  retry(): Promise<unknown>;
}

export function useNewest(tenantRef: string, query: ReturnType<typeof queryOf>, enabled: boolean): Newest {
  const list = useInfiniteQuery<List, RequestProblem, { pages: List[] }, unknown[], number | null>({
    queryKey: [PATH, 'newest', tenantRef, query],
    enabled,
    initialPageParam: null,
    queryFn: ({ pageParam, signal }) =>
      request(
        'GET',
        PATH,
        {
          path: { tenantRef },
          query: { ...query, limit: PAGE_ROWS, ...(pageParam !== null && { before_id: pageParam }) },
        },
        { signal },
      ),
    getNextPageParam: ({ calls, nextBeforeId }) => (calls.length < PAGE_ROWS ? null : nextBeforeId),
    // Polling reads every loaded page, so it stops beyond a few pages.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 2 ? POLL_MS : false),
  });
  return {
    calls: list.data?.pages.flatMap(({ calls }) => calls),
    problem: list.error,
    busy: list.isFetchingNextPage,
    done: !list.hasNextPage,
    more: () => void list.fetchNextPage(),
    retry: () => list.refetch(),
  };
}
