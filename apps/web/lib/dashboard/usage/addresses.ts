/** The addresses of the pages about prices. */
export const USAGE_HREF = '/app/prices/usage';
export const ROUTE_HREF = '/app/prices/route';
export const deckAddress = (deckId: number): string => `/app/prices/decks/${deckId}`;
