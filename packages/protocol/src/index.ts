export * from './call.ts';
export * from './enums.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './failures.ts';
export * from './json.ts';
export * from './withheld.ts';
