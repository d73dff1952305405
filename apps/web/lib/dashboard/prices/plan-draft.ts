/** The form values of a price plan: all fields of the PUT, and those of the request that fit together. */
import type { PricePlan } from '../edit/resources.ts';
import type { Input } from '../request.ts';

type Item = PricePlan['items'][number];
export type Kind = Item['kind'];
export type PriceMethod = Item['method'];

/** Empty texts: any, or nothing entered. */
export interface ItemDraft {
  kind: Kind;
  method: PriceMethod;
  direction: '' | NonNullable<Item['direction']>;
  channel: '' | NonNullable<Item['channel']>;
  trunkOwner: '' | NonNullable<Item['trunkOwner']>;
  initialSeconds: number | null;
  incrementSeconds: number | null;
  flatRate: string;
  deckId: string;
  markupPercent: string;
}

export interface PlanDraft {
  name: string;
  currency: string;
  description: string;
  items: ItemDraft[];
}

/** docs/requirements.md#limits */
export const MAX_ITEMS = 50;
export const BLOCK_MAX_SECONDS = 3600;
const DEFAULT_BLOCK_SECONDS = 60;
const DEFAULT_CURRENCY = 'USD';

/** Usage in minutes, of calls: it has billing blocks and can be narrowed. */
export const isOfCalls = (kind: Kind): boolean => kind === 'CALL' || kind === 'RECORDING';
export const hasDeck = ({ kind, method }: Pick<ItemDraft, 'kind' | 'method'>): boolean =>
  kind === 'CALL' && method !== 'FLAT';
/** Rates of decks have their own blocks, and so do the costs behind a markup. */
export const hasBlocks = ({ kind, method }: Pick<ItemDraft, 'kind' | 'method'>): boolean =>
  isOfCalls(kind) && method === 'FLAT';

export const newItem = (): ItemDraft => ({
  kind: 'CALL',
  method: 'FLAT',
  direction: '',
  channel: '',
  trunkOwner: '',
  initialSeconds: DEFAULT_BLOCK_SECONDS,
  incrementSeconds: DEFAULT_BLOCK_SECONDS,
  flatRate: '',
  deckId: '',
  markupPercent: '',
});

/** Rates of decks exist for calls only. */
export const withKind = (item: ItemDraft, kind: Kind): ItemDraft => ({
  ...item,
  kind,
  method: item.method === 'DECK' && kind !== 'CALL' ? 'FLAT' : item.method,
});

export const draftOf = (plan: PricePlan | null): PlanDraft => ({
  name: plan?.name ?? '',
  currency: plan?.currency ?? DEFAULT_CURRENCY,
  description: plan?.description ?? '',
  items: plan === null ? [newItem()] : plan.items.map(itemDraftOf),
});

const itemDraftOf = (item: Item): ItemDraft => ({
  kind: item.kind,
  method: item.method,
  direction: item.direction ?? '',
  channel: item.channel ?? '',
  trunkOwner: item.trunkOwner ?? '',
  initialSeconds: item.initialSeconds,
  incrementSeconds: item.incrementSeconds,
  flatRate: item.flatRate ?? '',
  deckId: item.deckId === null ? '' : String(item.deckId),
  markupPercent: item.markupPercent ?? '',
});

type Body = Input<'PUT', '/v1/price-plans/{planId}'>['body'];

/** Values of fields that the form does not show are not sent. */
export const bodyOf = ({ name, currency, description, items }: PlanDraft): Body => ({
  name,
  currency,
  description: description || null,
  items: items.map((item) => ({
    kind: item.kind,
    method: item.method,
    ...(isOfCalls(item.kind) && {
      direction: item.direction || null,
      channel: item.channel || null,
      trunk_owner: item.trunkOwner || null,
    }),
    ...(hasBlocks(item) && {
      initial_seconds: item.initialSeconds,
      increment_seconds: item.incrementSeconds,
    }),
    ...(item.method === 'FLAT' && { flat_rate: item.flatRate.trim() || null }),
    ...(hasDeck(item) && { deck_id: item.deckId === '' ? null : Number(item.deckId) }),
    ...(item.method === 'DECK_MARKUP' && { markup_percent: item.markupPercent.trim() || null }),
  })),
});
