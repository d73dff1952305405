import { expect, test } from 'vitest';
import { itemFor } from './price-item.ts';
import type { PriceItem } from './price-item.ts';

const item = (deckId: number, change: Partial<PriceItem> = {}): PriceItem => ({
  kind: 'CALL',
  method: 'DECK',
  direction: null,
  channelType: null,
  trunkOwner: null,
  initialSeconds: 60,
  incrementSeconds: 60,
  flatRate: null,
  deckId,
  markupPercent: null,
  ...change,
});
const call = { kind: 'CALL', direction: 'OUTBOUND', channelType: 'SIP', trunkOwner: 'CONSUMER' } as const;

test.each<[string, PriceItem[], number | null]>([
  ['the first of equals', [item(1), item(2)], 1],
  [
    'one that names the direction before one that names nothing',
    [item(1), item(2, { direction: 'OUTBOUND' })],
    2,
  ],
  [
    'the one that names most, wherever it stands',
    [
      item(1, { direction: 'OUTBOUND', channelType: 'SIP' }),
      item(2, { direction: 'OUTBOUND', channelType: 'SIP', trunkOwner: 'CONSUMER' }),
      item(3, { trunkOwner: 'CONSUMER' }),
    ],
    2,
  ],
  [
    'none that names something else',
    [item(1, { direction: 'INBOUND' }), item(2, { trunkOwner: 'PLATFORM' })],
    null,
  ],
  ['none of another kind', [item(1, { kind: 'RECORDING', deckId: null })], null],
])('prices a usage by %s', (_, items, deckId) => {
  expect(itemFor(items, call)?.deckId ?? null).toBe(deckId);
});

test('a call without a trunk is not priced by an item of a trunk owner', () => {
  const whatsApp = { ...call, channelType: 'WHATSAPP', trunkOwner: null } as const;
  expect(itemFor([item(1, { trunkOwner: 'PLATFORM' }), item(2)], whatsApp)?.deckId).toBe(2);
});
