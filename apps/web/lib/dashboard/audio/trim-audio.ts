/** The selected part of a recording, as a WAV file. */
import { encodeWav, toMono } from './wav.ts';

/** Enough for a voice. Phone calls carry 8 kHz, agents' browsers up to 48 kHz. */
const RATE_HZ = 24_000;

/** @throws if the browser cannot decode the audio */
export async function trimAudio(take: Blob, part: { from: number; to: number }, name: string): Promise<File> {
  const whole = await new OfflineAudioContext(1, 1, RATE_HZ).decodeAudioData(await take.arrayBuffer());
  const channels = Array.from({ length: whole.numberOfChannels }, (_, i) => whole.getChannelData(i));
  const [from, to] = [part.from, Math.min(part.to, whole.duration)].map((at) => Math.round(at * RATE_HZ));
  return new File([encodeWav(toMono(channels).slice(from, to), RATE_HZ)], `${name}.wav`, {
    type: 'audio/wav',
  });
}
