/** Uploads a tone as an audio asset, so that it can be measured where it is played. */
import { SAMPLE_RATE } from '@clarion/test-phone/rtp/g711';
import { sine } from '@clarion/test-phone/audio/goertzel';
import type { V1Client } from '../stack/v1-client.ts';
import { encodeWav } from '@clarion/test-phone/audio/wav';

/** @returns the ID of the audio asset */
export async function uploadTone(
  v1: V1Client,
  { tenant = 'shop', hz, seconds }: { tenant?: string; hz: number; seconds: number },
): Promise<number> {
  const samples = sine(hz, SAMPLE_RATE, Math.round(seconds * SAMPLE_RATE), { amplitude: 8000 });
  const wav = encodeWav({ sampleRate: SAMPLE_RATE, samples });
  const { audioAsset } = await v1.ok<{ audioAsset: { id: number } }>(
    'POST',
    `/v1/tenants/${tenant}/audio-assets`,
    { name: `${hz} Hz`, mime_type: 'audio/wav', content_base64: wav.toString('base64') },
  );
  return audioAsset.id;
}
