/** Recordings as a consumer gets them: requested from the API, downloaded, decoded and measured. */
import { callDetail, type RecordingView } from '@clarion/protocol/call';
import { OggOpusDecoder } from 'ogg-opus-decoder';
import { tonePower } from '@clarion/test-phone/audio/goertzel';
import { isOf } from '../stack/call-centre.ts';
import type { TestStack } from '../stack/stack.ts';

/** The rate to which Opus is decoded. */
export const RECORDING_RATE = 48_000;
const FLOOR = 1e-12;

export interface Recorded {
  left: Float32Array;
  right: Float32Array;
  seconds: number;
}

export async function decodeRecording(bytes: Uint8Array): Promise<Recorded> {
  const decoder = new OggOpusDecoder();
  await decoder.ready;
  const { channelData, samplesDecoded, errors } = await decoder.decodeFile(bytes);
  decoder.free();
  const [left, right] = channelData;
  if (errors.length > 0 || !left || !right) throw new Error(`no stereo Ogg Opus: ${JSON.stringify(errors)}`);
  return { left, right, seconds: samplesDecoded / RECORDING_RATE };
}

/** Waits for recording.completed and downloads the file. */
export async function fetchRecording(
  t: TestStack,
  callId: number,
  timeoutMs = 20_000,
): Promise<Recorded & { url: string; recording: RecordingView }> {
  await t.webhooks.waitFor(isOf(callId, 'recording.completed'), timeoutMs);
  const { url } = await t.v1.ok<{ url: string }>('GET', `/v1/calls/${callId}/recording`);
  const answer = await fetch(url);
  if (answer.status !== 200 || answer.headers.get('content-type') !== 'audio/ogg')
    throw new Error(`${url} answered ${answer.status} ${answer.headers.get('content-type')}`);
  const decoded = await decodeRecording(new Uint8Array(await answer.arrayBuffer()));
  const { recording } = callDetail.parse(await t.v1.ok('GET', `/v1/calls/${callId}`));
  if (!recording) throw new Error(`call ${callId} has no recording`);
  return { ...decoded, url, recording };
}

/**
 * Level of one tone in a part of a channel, in dB of full scale: the median of windows of 100 ms. A browser that is short of processor
 * time skips a few milliseconds, and measured over the whole part that phase jump would cancel the tone.
 */
export function levelDb(channel: Float32Array, hz: number, fromSeconds: number, toSeconds: number): number {
  const window = RECORDING_RATE / 10;
  const powers: number[] = [];
  for (let at = fromSeconds * RECORDING_RATE; at + window <= toSeconds * RECORDING_RATE; at += window) {
    powers.push(tonePower(channel.subarray(at, at + window), RECORDING_RATE, hz));
  }
  const median = powers.toSorted((a, b) => a - b)[Math.floor(powers.length / 2)] ?? 0;
  return 10 * Math.log10(median + FLOOR);
}

/** Silent sections of at least `atLeast` seconds, as [from, to] in seconds. */
export function silences(channel: Float32Array, atLeast = 0.3): [number, number][] {
  const step = RECORDING_RATE / 100;
  const found: [number, number][] = [];
  let since: number | null = null;
  for (let at = 0; at <= channel.length; at += step) {
    const isSilent = channel.subarray(at, at + step).every((sample) => Math.abs(sample) < 0.003);
    if (isSilent && at < channel.length) {
      since ??= at;
    } else if (since !== null) {
      if (at - since >= atLeast * RECORDING_RATE) found.push([since / RECORDING_RATE, at / RECORDING_RATE]);
      since = null;
    }
  }
  return found;
}
