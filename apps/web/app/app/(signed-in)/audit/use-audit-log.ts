'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { request } from '#lib/dashboard/request.ts';
import type { Answer, RequestProblem } from '#lib/dashboard/request.ts';

type Page = Answer<'GET', '/v1/audit-log'>;
export type AuditEntry = Page['entries'][number];

export interface AuditLog {
  /** Undefined while the first page loads. */
  entries: readonly AuditEntry[] | undefined;
  problem: RequestProblem | null;
  retry(): void;
  /** Null when there are no older ones. */
  more: (() => void) | null;
  loadingMore: boolean;
}

const PATH = '/v1/audit-log';

export function useAuditLog(filter: { action: string; actor: string }): AuditLog {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery<
    Page,
    RequestProblem,
    { pages: Page[] },
    readonly unknown[],
    number | null
  >({
    queryKey: [PATH, filter],
    initialPageParam: null,
    queryFn: ({ pageParam, signal }) =>
      request(
        'GET',
        PATH,
        { query: { ...filter, ...(pageParam !== null && { before_id: pageParam }) } },
        { signal },
      ),
    getNextPageParam: ({ nextBeforeId }) => nextBeforeId,
  });
  return {
    entries: data?.pages.flatMap(({ entries }) => entries),
    problem: error,
    retry: () => void refetch(),
    more: hasNextPage ? () => void fetchNextPage() : null,
    loadingMore: isFetchingNextPage,
  };
}
