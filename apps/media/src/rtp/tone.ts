/** Generated tones as endless 20 ms frames. */
import { PcmAudio } from './pcm-audio.ts';
import { FRAME_SAMPLES, SAMPLE_RATE, type Law } from './g711.ts';

export type ToneName = 'ringback' | 'hold';

interface Cadence {
  frequencies: readonly number[];
  /** 0 to 1 of full scale, per frequency. */
  level: number;
  /** Alternating durations of tone and silence in milliseconds, repeated. Multiples of 20. */
  patternMs: readonly number[];
}

/** ITU-T E.180 supplement 2: 425 Hz in most countries, 440+480 Hz in North America. */
const ringbackEurope: Cadence = { frequencies: [425], level: 0.16, patternMs: [1_000, 4_000] };
const ringbackNorthAmerica: Cadence = { frequencies: [440, 480], level: 0.1, patternMs: [2_000, 4_000] };
/** A soft tone every three seconds, so that the caller knows that the call continues. */
const hold: Cadence = { frequencies: [440], level: 0.06, patternMs: [500, 2_500] };

/** µ-law is used in North America, where callers expect that region's ringback. */
function cadenceOf(tone: ToneName, law: Law): Cadence {
  if (tone === 'hold') return hold;
  return law === 'PCMU' ? ringbackNorthAmerica : ringbackEurope;
}

function render(cadence: Cadence): PcmAudio {
  const totalMs = cadence.patternMs.reduce((sum, part) => sum + part, 0);
  const pcm = new Int16Array((totalMs * SAMPLE_RATE) / 1_000);
  const edges = cadence.patternMs.map((part) => (part * SAMPLE_RATE) / 1_000);
  let index = 0;
  edges.forEach((length, part) => {
    for (let offset = 0; offset < length; offset += 1, index += 1) {
      const sounding = part % 2 === 0;
      const value = sounding
        ? cadence.frequencies.reduce(
            (sum, hertz) => sum + Math.sin((2 * Math.PI * hertz * offset) / SAMPLE_RATE),
            0,
          ) * cadence.level
        : 0;
      pcm[index] = Math.round(value * 32_767);
    }
  });
  return new PcmAudio(pcm);
}

const rendered = new Map<Cadence, PcmAudio>();

/** Rendered once per cadence. */
function toneAudio(tone: ToneName, law: Law): PcmAudio {
  const cadence = cadenceOf(tone, law);
  let audio = rendered.get(cadence);
  if (!audio) {
    audio = render(cadence);
    rendered.set(cadence, audio);
  }
  return audio;
}

/** A tone for one listener, from its start. `law` also selects the regional ringback. */
export class ToneGenerator {
  readonly name: ToneName;
  #next = 0;

  constructor(name: ToneName) {
    this.name = name;
  }

  /** The next 20 ms, encoded and read-only. */
  frame(law: Law): Buffer {
    const audio = toneAudio(this.name, law);
    const start = this.#advance(audio);
    return audio.encoded(law, start, start + FRAME_SAMPLES);
  }

  /** The next 20 ms as read-only samples. */
  pcm(law: Law): Int16Array {
    const audio = toneAudio(this.name, law);
    const start = this.#advance(audio);
    return audio.pcm.subarray(start, start + FRAME_SAMPLES);
  }

  #advance(audio: PcmAudio): number {
    const start = (this.#next * FRAME_SAMPLES) % audio.pcm.length;
    this.#next += 1;
    return start;
  }
}
