/** Generated tones as endless G.711 frames of 20 ms. Pure: a cursor in, a frame out. */
import { encodeSample, FRAME_SAMPLES, SAMPLE_RATE, type Law } from './g711.ts';

export type ToneName = 'ringback' | 'hold';

interface Cadence {
  frequencies: readonly number[];
  /** 0 to 1 of full scale, per frequency. */
  level: number;
  /** Milliseconds sounding and silent, alternating, repeated for ever. Multiples of 20. */
  patternMs: readonly number[];
}

/** ITU-T E.180 supplement 2: 425 Hz in most countries, 440+480 Hz in North America. */
const ringbackEurope: Cadence = { frequencies: [425], level: 0.16, patternMs: [1_000, 4_000] };
const ringbackNorthAmerica: Cadence = { frequencies: [440, 480], level: 0.1, patternMs: [2_000, 4_000] };
/** A soft tone every three seconds: "we have not forgotten you". */
const hold: Cadence = { frequencies: [440], level: 0.06, patternMs: [500, 2_500] };

/** µ-law networks are North American ones: their ear expects their ring tone. */
function cadenceOf(tone: ToneName, law: Law): Cadence {
  if (tone === 'hold') return hold;
  return law === 'PCMU' ? ringbackNorthAmerica : ringbackEurope;
}

function render(cadence: Cadence, law: Law): Buffer {
  const totalMs = cadence.patternMs.reduce((sum, part) => sum + part, 0);
  const samples = (totalMs * SAMPLE_RATE) / 1_000;
  const payload = Buffer.allocUnsafe(samples);
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
      payload[index] = encodeSample(law, Math.round(value * 32_767));
    }
  });
  return payload;
}

const rendered = new Map<string, Buffer>();

/** The `index`-th 20 ms frame of a tone, from its beginning; it repeats for ever. Rendered once per tone and law. */
export function toneFrame(tone: ToneName, law: Law, index: number): Buffer {
  const key = `${tone}:${law}`;
  let whole = rendered.get(key);
  if (!whole) {
    whole = render(cadenceOf(tone, law), law);
    rendered.set(key, whole);
  }
  const frames = whole.length / FRAME_SAMPLES;
  const start = (index % frames) * FRAME_SAMPLES;
  return whole.subarray(start, start + FRAME_SAMPLES);
}
