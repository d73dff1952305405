/** The actions of a random carrier in one call, determined by its seed, so that a failing call can be repeated and reduced. */
import type { Odds } from '@clarion/test-phone/carrier/network';
import { Chance } from '../lib/chance.ts';

export type Step =
  | { do: 'repeat' }
  | { do: 'move'; by: 'INVITE' | 'UPDATE' | 'ACK' }
  | { do: 'hold'; direction: 'inactive' | 'sendonly' | 'recvonly'; by: 'INVITE' | 'UPDATE' }
  | { do: 'offerless' }
  | { do: 'twice' }
  | { do: 'refusable' }
  | { do: 'ssrc' }
  | { do: 'law' }
  | { do: 'info' }
  | { do: 'options' };

/** Answers to our INVITE before the 200. */
export type Progress =
  'none' | '180' | '183' | '183 with SDP' | 'reliable 183' | '180 then 183' | 'two forks';
export type End = 'carrier' | 'agent' | 'consumer' | 'both';

export interface Plan {
  seed: number;
  way: 'in' | 'out';
  progress: Progress[];
  steps: Step[];
  end: End;
  wire: Odds;
  /** Of packets of audio. */
  audioLoss: number;
}

const MOST_STEPS = 4;
const MOST_LOST = 0.15;
const MOST_TWICE = 0.2;
const MOST_LATE = 0.3;
const MOST_DELAY_MS = 150;
const MOST_AUDIO_LOSS = 0.05;
export const STILL: Odds = { lost: 0, twice: 0, late: 0, mostDelayMs: 0 };

const PROGRESS: Progress[] = [
  'none',
  '180',
  '183',
  '183 with SDP',
  'reliable 183',
  '180 then 183',
  'two forks',
];

function stepOf(chance: Chance): Step {
  const by = chance.pick(['INVITE', 'UPDATE'] as const);
  return chance.pick<Step>([
    { do: 'repeat' },
    { do: 'move', by },
    { do: 'move', by: 'ACK' },
    { do: 'hold', direction: chance.pick(['inactive', 'sendonly', 'recvonly'] as const), by },
    { do: 'offerless' },
    { do: 'twice' },
    { do: 'refusable' },
    { do: 'ssrc' },
    { do: 'law' },
    { do: 'info' },
    { do: 'options' },
  ]);
}

export function planOf(seed: number): Plan {
  const chance = new Chance(seed);
  const steps = Array.from({ length: 1 + Math.floor(chance.next() * MOST_STEPS) }, () => stepOf(chance));
  const bad = chance.often(0.6);
  return {
    seed,
    way: chance.pick(['in', 'out'] as const),
    progress: [chance.pick(PROGRESS)],
    steps,
    end: chance.pick(['carrier', 'agent', 'consumer', 'both'] as const),
    wire: bad
      ? {
          lost: chance.between(0, MOST_LOST),
          twice: chance.between(0, MOST_TWICE),
          late: chance.between(0, MOST_LATE),
          mostDelayMs: MOST_DELAY_MS,
        }
      : STILL,
    audioLoss: chance.often(0.3) ? chance.between(0, MOST_AUDIO_LOSS) : 0,
  };
}

/** Plans with one step or fault left out, the simplest first. */
export function smaller(plan: Plan): Plan[] {
  const without = plan.steps.map((_, at) => ({
    ...plan,
    steps: plan.steps.filter((__, index) => index !== at),
  }));
  return [
    ...(plan.wire === STILL ? [] : [{ ...plan, wire: STILL }]),
    ...(plan.audioLoss === 0 ? [] : [{ ...plan, audioLoss: 0 }]),
    ...(plan.progress[0] === 'none' || plan.way === 'in' ? [] : [{ ...plan, progress: ['none' as const] }]),
    ...without,
  ];
}
