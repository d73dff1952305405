/** The loads of one run, each measured by itself. */
import type { Kind, Load } from './place.ts';

export interface Plan {
  agents: number;
  /** New inbound calls a second, one phase for each. */
  rates: number[];
  outboundRates: number[];
  /** Length of each phase. */
  seconds: number;
  /** INVITEs within one second; 0: none. */
  surge: number;
  /** New inbound calls a second, above the capacity, while others run with audio; 0: none. */
  overload: number;
  /** Callers who wait in another queue all the time. */
  waiting: number;
  /** Calls of another tenant in the database. */
  history: number;
  /** Each call reserves credit on two prepaid accounts, and is charged to both. */
  billing: boolean;
  idleSeconds: number;
}

export interface Phase extends Load {
  name: string;
}

/** Long enough that both ends see the call answered, short enough that 50 agents take 25 calls a second. */
export const TALK_MS = 500;
/** Of calls that no agent answers. */
const ABANDONED_RATE = 2;

const OVERLOAD = { running: 10, recovery: { afterMs: 2_000, calls: 10, rate: 2 } };

export function phasesOf({ rates, outboundRates, seconds, surge, overload }: Plan): Phase[] {
  const phase = (name: string, kind: Kind, rate: number, calls = Math.ceil(rate * seconds)): Phase => ({
    name: `${name}, ${rate} a second`,
    kind,
    calls,
    rate,
    talkMs: TALK_MS,
  });
  // The heaviest last: what they leave behind must not burden the others.
  return [
    phase('offered, then CANCEL', 'abandoned', ABANDONED_RATE),
    ...outboundRates.map((rate) => phase('outbound', 'outbound', rate)),
    ...(surge > 0
      ? [{ ...phase('surge', 'answered', surge, surge), name: `surge of ${surge} within a second` }]
      : []),
    ...rates.map((rate) => phase('inbound', 'answered', rate)),
    ...(overload > 0 ? [{ ...phase('overload', 'answered', overload), overload: OVERLOAD }] : []),
  ];
}
