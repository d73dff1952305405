'use client';

/** Reads and changes data through the Management API. TanStack Query caches responses by method, path and input. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient, UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { request } from './request.ts';
import type { Answer, Input, Method, PathOf, RequestProblem } from './request.ts';

type GetPath = PathOf<'GET'>;
type ChangeMethod = Exclude<Method, 'GET'>;

export interface GetOptions {
  /** False: not yet, for example because an input is not known. */
  enabled?: boolean;
  /** In milliseconds; polls while the page is visible. */
  refetchInterval?: number | false;
  /** Keeps the previous data while another page of the same list is loading. */
  keepPrevious?: boolean;
}

export const queryKey = <P extends GetPath>(path: P, input?: Input<'GET', P>) =>
  input === undefined ? [path] : [path, input];

export function useGet<P extends GetPath>(
  path: P,
  input: Input<'GET', P>,
  { enabled = true, refetchInterval = false, keepPrevious = false }: GetOptions = {},
): UseQueryResult<Answer<'GET', P>, RequestProblem> {
  return useQuery<Answer<'GET', P>, RequestProblem>({
    queryKey: queryKey(path, input),
    queryFn: ({ signal }) => request('GET', path, input, { signal }),
    enabled,
    refetchInterval,
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  });
}

export interface ChangeOptions<M extends ChangeMethod, P extends string> {
  /** The GET endpoints to refetch, with any input. */
  invalidates?: readonly GetPath[];
  onDone?(answer: Answer<M, P>, input: Input<M, P>): void;
}

/** `mutateAsync(input)` throws a RequestProblem, whose `fieldErrors` are for the form. */
export function useChange<M extends ChangeMethod, P extends PathOf<M>>(
  method: M,
  path: P,
  { invalidates = [], onDone }: ChangeOptions<M, P> = {},
): UseMutationResult<Answer<M, P>, RequestProblem, Input<M, P>> {
  const client = useQueryClient();
  return useMutation<Answer<M, P>, RequestProblem, Input<M, P>>({
    mutationFn: (input) => request<M, P>(method, path as P & PathOf<M>, input),
    onSuccess: async (answer, input) => {
      await invalidate(client, invalidates);
      onDone?.(answer, input);
    },
  });
}

export const invalidate = (client: QueryClient, paths: readonly GetPath[]): Promise<unknown> =>
  Promise.all(paths.map((path) => client.invalidateQueries({ queryKey: [path] })));
