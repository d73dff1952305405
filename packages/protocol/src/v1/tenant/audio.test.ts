import { expect, test } from 'vitest';
import { AUDIO_MAX_BODY_BYTES, createAudioAssetBody } from './audio.ts';

const sent = (content: string) =>
  createAudioAssetBody.safeParse({ name: 'Hold', mime_type: 'audio/wav', content_base64: content });

test.each(['UklGRg==', 'UklGRgA=', 'UklG\r\n  Rg==\n', 'UklGRgAA', 'UklGRg'])(
  '%j is accepted as base64',
  (content) => {
    expect(sent(content).success).toBe(true);
  },
);

test.each(['UklGRg==A', 'Ukl*', 'U=kl', 'UklGR===', 'data:audio/wav;base64,UklG'])(
  '%j is rejected as base64',
  (content) => {
    expect(sent(content).error?.issues[0]?.path).toEqual(['content_base64']);
  },
);

test('a body of white space is rejected as fast as any other', { timeout: 5_000 }, () => {
  expect(sent(`${' '.repeat(AUDIO_MAX_BODY_BYTES)}!`).success).toBe(false);
});
