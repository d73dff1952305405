import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClipCache } from '../mix/clip-cache.ts';
import { FRAME_MS, FRAME_SAMPLES } from '../rtp/g711.ts';
import { RtpSequencer } from '../rtp/sequencer.ts';
import { Ticker } from '../rtp/ticker.ts';
import { Player } from './player.ts';
import { VoiceSource } from './voice-source.ts';

const SPEECH = Buffer.alloc(FRAME_SAMPLES, 0x55);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function scene({ sendsSilence }: { sendsSilence: boolean }) {
  const ticker = new Ticker();
  const sent: { timestamp: number; marker: boolean; payloadType: number }[] = [];
  const player = new Player({
    ticker,
    clips: new ClipCache({ read: async () => null, log: pino({ level: 'silent' }) }),
    sequencer: new RtpSequencer({ ssrc: 1, sequenceNumber: 0, timestamp: 0 }),
    format: () => ({
      law: 'PCMA',
      payloadType: 8,
      dtmfPayloadType: 101,
      passThrough: { PCMA: 8, PCMU: null },
    }),
    send: ({ timestamp, marker, payloadType }) => sent.push({ timestamp, marker, payloadType }),
    sendsSilence,
    onPlayed: () => undefined,
  });
  const voice = new VoiceSource();
  let sequenceNumber = 0;
  const speak = (ms: number) => {
    for (let passed = 0; passed < ms; passed += FRAME_MS) {
      sequenceNumber += 1;
      const packet = { payloadType: 8, marker: false, ssrc: 2, sequenceNumber, payload: SPEECH };
      voice.push(
        { ...packet, timestamp: sequenceNumber * FRAME_SAMPLES },
        'PCMA',
        2,
        voice,
        performance.now(),
      );
      vi.advanceTimersByTime(FRAME_MS);
    }
  };
  return { ticker, player, voice, sent, speak };
}

test('before the first packet of a voice, silence is sent five times a second and not at the clock', () => {
  const { ticker, player, voice, sent } = scene({ sendsSilence: true });
  player.play([{ kind: 'voice', voice }]);
  expect(sent).toHaveLength(1);
  vi.advanceTimersByTime(990);
  expect(sent).toHaveLength(5);
  expect(sent.map(({ timestamp }) => timestamp)).toEqual([0, 1, 2, 3, 4].map((at) => 160 + at * 1_600));
  expect(ticker.size).toBe(0);
  player.close();
});

test('once a voice is heard, its pauses are filled with silence', () => {
  const { player, voice, sent, speak } = scene({ sendsSilence: true });
  player.play([{ kind: 'voice', voice }]);
  vi.advanceTimersByTime(100);
  speak(200);
  expect(sent).toHaveLength(1 + 10);
  expect(sent[1]?.marker).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(sent.length).toBeGreaterThan(1 + 10 + 14);
  player.close();
});

test('after a prompt, the listener hears silence until the voice begins', () => {
  const { player, voice, sent } = scene({ sendsSilence: true });
  player.play([{ kind: 'tone', tone: 'ringback' }]);
  vi.advanceTimersByTime(200);
  player.play([{ kind: 'voice', voice }]);
  vi.advanceTimersByTime(1_000);
  expect(sent.length).toBeGreaterThan(10 + 14);
  player.close();
});

test('without a voice, silence is sent at the clock', () => {
  const { player, sent } = scene({ sendsSilence: true });
  player.play([]);
  vi.advanceTimersByTime(1_000);
  expect(sent).toHaveLength(50);
  player.close();
});

test('digits are sent before the voice begins', async () => {
  const { ticker, player, voice, sent } = scene({ sendsSilence: true });
  player.play([{ kind: 'voice', voice }]);
  const done = player.sendDigits('5');
  vi.advanceTimersByTime(1_000);
  await done;
  expect(sent.filter(({ payloadType }) => payloadType === 101).length).toBeGreaterThan(3);
  expect(ticker.size).toBe(1); // the stream has begun, and its pauses are filled
  player.close();
});

test('digits of a player that was stopped wait for the next sources', async () => {
  const { player, voice, sent } = scene({ sendsSilence: true });
  player.play([{ kind: 'voice', voice }]);
  player.stop();
  const done = player.sendDigits('5');
  vi.advanceTimersByTime(500);
  expect(sent).toHaveLength(1);
  player.play([{ kind: 'voice', voice }]);
  vi.advanceTimersByTime(1_000);
  await done;
  expect(sent.filter(({ payloadType }) => payloadType === 101).length).toBeGreaterThan(3);
  player.close();
});

test('a browser that only hears a voice needs no clock', () => {
  const { ticker, player, voice, sent, speak } = scene({ sendsSilence: false });
  player.play([{ kind: 'voice', voice }]);
  vi.advanceTimersByTime(500);
  speak(200);
  expect(sent).toHaveLength(10);
  expect(ticker.size).toBe(0);
  player.close();
});

test('a tone beside the voice needs the clock until the voice alone is heard again', () => {
  const { ticker, player, voice, sent, speak } = scene({ sendsSilence: false });
  player.play([
    { kind: 'voice', voice },
    { kind: 'tone', tone: 'ringback' },
  ]);
  speak(200);
  expect(ticker.size).toBe(1);
  player.play([{ kind: 'voice', voice }]);
  const before = sent.length;
  speak(100);
  expect(sent.length - before).toBe(5);
  expect(ticker.size).toBe(0);
  player.close();
});
