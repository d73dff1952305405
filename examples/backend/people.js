/** The users of the example. In your product, they are in your database. */
export const company = { ref: 'bakery', name: 'Bakery' };

/** @type {ReadonlyMap<string, { name: string, role: 'AGENT' | 'SUPERVISOR' }>} */
export const people = new Map([
  ['ada', { name: 'Ada', role: 'AGENT' }],
  ['ben', { name: 'Ben', role: 'SUPERVISOR' }],
]);
