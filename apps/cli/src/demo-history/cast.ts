/**
 * The people and entities in the sample history: a shop for outdoor gear with a small team. The numbers are those that Ofcom reserves for
 * fiction. Everything that is not part of the demo account is created and deleted with the history.
 */
import { demo } from '@clarion/core/demo-account';

export interface CastAgent {
  ref: string;
  name: string;
  role: 'AGENT' | 'SUPERVISOR';
  /** Hours of the day, UTC. */
  from: number;
  to: number;
  lunchAt: number;
  saturdays: boolean;
}

/** In the order of their IDs. The first two belong to the demo account itself. */
export const castAgents = [
  { ref: 'ada', name: 'Ada', role: 'AGENT', from: 8, to: 16, lunchAt: 12, saturdays: true },
  { ref: 'ben', name: 'Ben', role: 'AGENT', from: 9, to: 18, lunchAt: 13, saturdays: false },
  { ref: 'cleo', name: 'Cleo Marsh', role: 'SUPERVISOR', from: 8.5, to: 17, lunchAt: 12.5, saturdays: false },
  { ref: 'dina', name: 'Dina Okafor', role: 'AGENT', from: 8, to: 16.5, lunchAt: 12, saturdays: false },
  { ref: 'emil', name: 'Emil Lindqvist', role: 'AGENT', from: 9.5, to: 18, lunchAt: 13.5, saturdays: true },
  { ref: 'farah', name: 'Farah Aziz', role: 'AGENT', from: 9, to: 17.5, lunchAt: 13, saturdays: false },
] as const satisfies readonly CastAgent[];

export type CastRef = (typeof castAgents)[number]['ref'];

export interface CastQueue {
  ref: 'support' | 'sales' | 'billing';
  members: readonly CastRef[];
  /** The wait after which a call moves to `overflow` or ends. */
  maxWaitSeconds: number;
  overflow: 'support' | null;
  /** The share of the calls that come through the menu. */
  share: number;
  key: string;
}

export const castQueues = [
  {
    ref: 'sales',
    members: ['cleo', 'emil', 'farah'],
    maxWaitSeconds: 240,
    overflow: null,
    share: 0.38,
    key: '1',
  },
  { ref: 'support', members: ['ada', 'ben'], maxWaitSeconds: 300, overflow: null, share: 0.44, key: '2' },
  {
    ref: 'billing',
    members: ['dina', 'farah'],
    maxWaitSeconds: 90,
    overflow: 'support',
    share: 0.18,
    key: '3',
  },
] as const satisfies readonly CastQueue[];
export type CastQueueRef = CastQueue['ref'];

/** Created with the sample history, on the demo account's trunk. */
export const castLines = {
  main: { address: '+442071838752', displayName: 'Main number', inboundQueueRef: demo.queueRef },
  sales: { address: '+442071838753', displayName: 'Sales direct', inboundQueueRef: 'sales' },
} as const;
export const welcomeFlow = { ref: 'welcome', name: 'Welcome', menuName: 'menu' } as const;

/** The time zone of all hours in this file. */
export const castTimeZone = 'UTC';
export const openHours = { weekdays: { from: 8, to: 18 }, saturdays: { from: 9, to: 16 } } as const;

const firstNames =
  'Amara Ben Carla Dev Elena Finn Grace Hugo Isla Jonas Keira Liam Maya Noah Olive Priya Quinn Rosa Sam Tara Umar Vera Will Yara Zoe'.split(
    ' ',
  );
const lastNames =
  'Abbott Bell Cole Diaz Evans Fox Gupta Hall Ito Jensen Khan Lopez Murray Novak Owens Patel Reid Silva Tanaka Ueda Vance Walsh Young'.split(
    ' ',
  );

export interface CastCustomer {
  name: string | null;
  address: string;
}

const CUSTOMERS = 180;
/** Every seventh customer has no name. */
const NAMELESS_EVERY = 7;

/** Drama numbers: 020 7946 0xxx, 07700 900xxx, 01632 960xxx. */
export const routeCustomers: readonly CastCustomer[] = Array.from({ length: CUSTOMERS }, (_, i) => {
  const tail = String((i * 37 + 11) % 1000).padStart(3, '0');
  const prefix = ['+442079460', '+447700900', '+441632960'][i % 3] ?? '+447700900';
  const first = firstNames[i % firstNames.length];
  const last = lastNames[(i * 5 + Math.floor(i / 25)) % lastNames.length];
  return { name: i % NAMELESS_EVERY === 3 ? null : `${first} ${last}`, address: `${prefix}${tail}` };
});
