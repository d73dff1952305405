/** Playing and trimming audio. A separate entry point, so that other pages do not load it. */
export type { Peaks } from './peaks.ts';
export { Waveform, type WaveformHandle, type WaveformProps } from './Waveform.tsx';
export { WaveformTrim, type WaveformTrimProps } from './WaveformTrim.tsx';
