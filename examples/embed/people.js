/** The users of the example. In your product, they are in your database. */
export const company = { ref: 'florist', name: 'Florist' };

/** @type {ReadonlyMap<string, { name: string, role: 'AGENT' | 'SUPERVISOR' }>} */
export const people = new Map([
  ['flora', { name: 'Flora', role: 'AGENT' }],
  ['gus', { name: 'Gus', role: 'SUPERVISOR' }],
]);
