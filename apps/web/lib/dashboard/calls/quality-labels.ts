/** Labels of the call quality of a leg, by MOS range (protocol, quality.ts; ITU-T G.107 annex B). */
import type { Tone } from '@clarion/ui';

export function qualityLabel(mos: number): { word: string; tone: Tone } {
  if (mos >= 4) return { word: 'Good', tone: 'positive' };
  if (mos >= 3.6) return { word: 'Fair', tone: 'neutral' };
  if (mos >= 3.1) return { word: 'Poor', tone: 'warning' };
  return { word: 'Bad', tone: 'negative' };
}
