'use client';

import { useQuery } from '@tanstack/react-query';
import { importBodyOf, type ImportOptions } from '#lib/dashboard/rate-decks/import-options.ts';
import { PREVIEW_PATH, type DryRun } from '#lib/dashboard/rate-decks/resources.ts';
import { useSettled } from '#lib/dashboard/rate-decks/use-settled.ts';
import { request, type RequestProblem } from '#lib/dashboard/request.ts';

export interface SheetFile {
  /** Differs for each chosen file, even for the same one again. */
  id: number;
  name: string;
  size: number;
  text: string;
}

export interface DryRunState {
  /** While another one of the same file is loading, the previous one. */
  data: DryRun | undefined;
  problem: RequestProblem | null;
  /** The data are not those of the file and the options. */
  loading: boolean;
  retry(): void;
}

/** How the service reads the file with these options, and what importing it would change. */
export function useDryRun(deckId: number, file: SheetFile | null, options: ImportOptions): DryRunState {
  const wanted = JSON.stringify(options);
  const settled = useSettled(wanted);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery<DryRun, RequestProblem>({
    queryKey: [PREVIEW_PATH, deckId, file?.id, settled],
    queryFn: ({ signal }) => {
      if (file === null) throw new TypeError('There is no file.');
      const body = importBodyOf(file, JSON.parse(settled) as ImportOptions);
      return request('POST', PREVIEW_PATH, { path: { deckId }, body }, { signal });
    },
    enabled: file !== null,
    // The file does not change, and it may have 20 MB: it is not sent again unless an option changes.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    placeholderData: (previous, of) => (of?.queryKey[2] === file?.id ? previous : undefined),
  });
  return {
    data,
    problem: error,
    loading: isFetching || isPlaceholderData || settled !== wanted,
    retry: () => void refetch(),
  };
}
