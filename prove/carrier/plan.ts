/** The actions of a random carrier in one call. They are determined by its seed, so that a failing call can be repeated and reduced. */
import type { Odds } from '@clarion/test-phone/carrier/network';
import { SeededRandom } from '../lib/seeded-random.ts';

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

/** Responses to our INVITE before the 200. */
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
  /** Share of audio packets. */
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

function stepOf(random: SeededRandom): Step {
  const by = random.pick(['INVITE', 'UPDATE'] as const);
  return random.pick<Step>([
    { do: 'repeat' },
    { do: 'move', by },
    { do: 'move', by: 'ACK' },
    { do: 'hold', direction: random.pick(['inactive', 'sendonly', 'recvonly'] as const), by },
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
  const random = new SeededRandom(seed);
  const steps = Array.from({ length: 1 + Math.floor(random.next() * MOST_STEPS) }, () => stepOf(random));
  const bad = random.often(0.6);
  return {
    seed,
    way: random.pick(['in', 'out'] as const),
    progress: [random.pick(PROGRESS)],
    steps,
    end: random.pick(['carrier', 'agent', 'consumer', 'both'] as const),
    wire: bad
      ? {
          lost: random.between(0, MOST_LOST),
          twice: random.between(0, MOST_TWICE),
          late: random.between(0, MOST_LATE),
          mostDelayMs: MOST_DELAY_MS,
        }
      : STILL,
    audioLoss: random.often(0.3) ? random.between(0, MOST_AUDIO_LOSS) : 0,
  };
}

/** Plans with one step or fault omitted, the simplest first. */
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
