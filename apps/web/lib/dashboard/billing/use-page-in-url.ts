import { useUrlState } from '../use-url-state.ts';

export interface PageInUrl {
  query: { page: number; limit: number };
  show(page: number): void;
}

/** The page of a list, kept in a parameter of the URL. */
export function usePageInUrl(parameter: string, limit: number): PageInUrl {
  const url = useUrlState();
  const asked = Number(url.get(parameter) || 1);
  const page = Number.isInteger(asked) && asked > 0 ? asked : 1;
  return {
    query: { page, limit },
    show: (next) => url.set({ [parameter]: next === 1 ? null : String(next) }),
  };
}
