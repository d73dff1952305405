/** The names of kinds, and the addresses of the pages. */
import type { Tone } from '@clarion/ui';
import type { DeckKind } from './resources.ts';

export const deckKinds: Record<DeckKind, { label: string; meaning: string; tone: Tone }> = {
  SELL: {
    label: 'Selling',
    meaning: 'Your own prices: what your tenants pay, through price plans.',
    tone: 'accent',
  },
  BUY: {
    label: 'Buying',
    meaning: 'The prices of a carrier: what calls on your SIP trunks cost you.',
    tone: 'neutral',
  },
};

export const DECKS_HREF = '/app/prices/decks';
export const deckHref = (deckId: number | string): string => `${DECKS_HREF}/${encodeURIComponent(deckId)}`;
export const importHref = (deckId: number | string): string => `${deckHref(deckId)}/import`;
