/** Our own users. Yours are in your database, with a password each. */
export const company = { ref: 'bakery', name: 'Bakery' };

/** @type {ReadonlyMap<string, { name: string, role: 'AGENT' | 'SUPERVISOR' }>} */
export const people = new Map([
  ['ada', { name: 'Ada', role: 'AGENT' }],
  ['ben', { name: 'Ben', role: 'SUPERVISOR' }],
]);
