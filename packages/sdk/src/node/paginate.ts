/** Lists as async iterators. The next page is requested when the loop has consumed the current one. */
import type { AnswerOf, EndpointMethods, InputOf } from './client.ts';
import type { Endpoints } from './endpoints.ts';

/** The maximum page size for lines. Without a limit, the service returns all lines at once. */
const CHANNELS_PER_PAGE = 500;

interface Lists {
  listCalls: { items: 'calls'; paging: 'before_id' | 'page' };
  listEvents: { items: 'events'; paging: 'before_id' };
  listAuditLog: { items: 'entries'; paging: 'before_id' };
  listChannels: { items: 'channels'; paging: 'after_id' };
  listUsage: { items: 'usage'; paging: 'page' };
  listRateEntries: { items: 'entries'; paging: 'page' };
  listTransactions: { items: 'transactions'; paging: 'page' };
  listBillingTransactions: { items: 'transactions'; paging: 'page' };
  listInvoices: { items: 'invoices'; paging: 'page' };
  listBillingInvoices: { items: 'invoices'; paging: 'page' };
}
type ListName = keyof Lists;
type ItemOf<N extends ListName> =
  AnswerOf<N> extends Record<Lists[N]['items'], readonly (infer Item)[]> ? Item : never;
type Besides<T, Keys extends string> = T extends object ? Omit<T, Keys> : never;
type ListInput<N extends ListName> = Omit<InputOf<N>, 'query' | 'idempotencyKey'> & {
  query?: Besides<Endpoints[N]['query'], Lists[N]['paging']>;
};

export type Paginators = {
  [N in ListName]: object extends ListInput<N>
    ? (input?: ListInput<N>) => AsyncGenerator<ItemOf<N>, void, undefined>
    : (input: ListInput<N>) => AsyncGenerator<ItemOf<N>, void, undefined>;
};

export const paginators = (methods: EndpointMethods): Paginators => ({
  listCalls: (input) =>
    pages(async (before_id) => {
      const { calls, nextBeforeId } = await methods.listCalls({
        ...input,
        query: { ...input.query, before_id },
      });
      return { items: calls, next: nextBeforeId };
    }),
  listEvents: (input) =>
    pages(async (before_id) => {
      const { events, nextBeforeId } = await methods.listEvents({
        ...input,
        query: { ...input?.query, before_id },
      });
      return { items: events, next: nextBeforeId };
    }),
  listAuditLog: (input) =>
    pages(async (before_id) => {
      const { entries, nextBeforeId } = await methods.listAuditLog({
        ...input,
        query: { ...input?.query, before_id },
      });
      return { items: entries, next: nextBeforeId };
    }),
  listChannels: (input) =>
    pages(async (after_id) => {
      const { channels, nextAfterId } = await methods.listChannels({
        ...input,
        query: { limit: CHANNELS_PER_PAGE, ...input.query, after_id },
      });
      return { items: channels, next: nextAfterId };
    }),
  listUsage: (input) => {
    // New usage records would shift the pages.
    const to = input?.query?.to ?? new Date();
    return pages(async (page = 1) => {
      const { usage, limit, total } = await methods.listUsage({
        ...input,
        query: { ...input?.query, to, page },
      });
      return { items: usage, next: page * limit < total && usage.length > 0 ? page + 1 : null };
    });
  },
  listRateEntries: (input) =>
    pages(async (page = 1) => {
      const query = { ...input.query, page };
      const { entries, limit, total } = await methods.listRateEntries({ ...input, query });
      return { items: entries, next: page * limit < total && entries.length > 0 ? page + 1 : null };
    }),
  listTransactions: (input) =>
    newestFirst(async (page) => {
      const query = { ...input.query, page };
      const { transactions, ...rest } = await methods.listTransactions({ ...input, query });
      return { items: transactions, ...rest };
    }),
  listBillingTransactions: (input) =>
    newestFirst(async (page) => {
      const query = { ...input?.query, page };
      const { transactions, ...rest } = await methods.listBillingTransactions({ ...input, query });
      return { items: transactions, ...rest };
    }),
  listInvoices: (input) =>
    newestFirst(async (page) => {
      const { invoices, ...rest } = await methods.listInvoices({ ...input, query: { ...input.query, page } });
      return { items: invoices, ...rest };
    }),
  listBillingInvoices: (input) =>
    newestFirst(async (page) => {
      const query = { ...input?.query, page };
      const { invoices, ...rest } = await methods.listBillingInvoices({ ...input, query });
      return { items: invoices, ...rest };
    }),
});

/** New items shift the pages, so a page may begin with some of the one before. */
function newestFirst<Item extends { id: number }>(
  read: (page: number) => Promise<{ items: readonly Item[]; limit: number; total: number }>,
): AsyncGenerator<Item, void, undefined> {
  let oldest = Infinity;
  return pages(async (page = 1) => {
    const { items, limit, total } = await read(page);
    const unseen = items.filter(({ id }) => id < oldest);
    oldest = items.at(-1)?.id ?? oldest;
    return { items: unseen, next: page * limit < total && items.length > 0 ? page + 1 : null };
  });
}

interface Page<Item> {
  items: readonly Item[];
  /** Null: this was the last page. */
  next: number | null;
}

async function* pages<Item>(
  ask: (after: number | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let after: number | undefined;
  for (;;) {
    const { items, next } = await ask(after);
    yield* items;
    if (next === null) return;
    after = next;
  }
}
