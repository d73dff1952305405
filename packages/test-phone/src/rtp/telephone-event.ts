/** Presses keys as a phone does: telephone events in the audio stream (RFC 4733), with the end packet of each sent three times. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DTMF_PAYLOAD_TYPE } from '../sip/sdp.ts';
import { FRAME_MS, FRAME_SAMPLES } from './g711.ts';
import type { RtpStream } from './port.ts';

const EVENTS = '0123456789*#ABCD';
const VOLUME = 10;
const END_BIT = 0x80;
const END_REPEATS = 3;
/** A key is pressed for 100 ms, and the next one follows after a pause of the same length. */
const KEY_FRAMES = 5;
const PAUSE_MS = 100;

export interface PressOptions {
  payloadType?: number;
  /** Sends events under a separate SSRC, as some gateways do. */
  ssrc?: number;
  /** How many of the three end packets are sent. */
  endRepeats?: number;
}

export async function pressKeys(
  stream: RtpStream,
  keys: string,
  { payloadType = DTMF_PAYLOAD_TYPE, ssrc, endRepeats = END_REPEATS }: PressOptions = {},
): Promise<void> {
  const voiceSsrc = stream.ssrc;
  for (const key of keys) {
    const event = EVENTS.indexOf(key);
    if (event < 0) throw new Error(`${key} is not a key`);
    // All packets of a key have the timestamp at which it was pressed (RFC 4733, section 2.3.5), while the voice's clock continues.
    const pressedAt = stream.timestamp;
    const send = (frames: number, end: boolean) => {
      const voice = stream.timestamp;
      stream.timestamp = pressedAt;
      if (ssrc !== undefined) stream.ssrc = ssrc;
      const duration = frames * FRAME_SAMPLES;
      const flags = (end ? END_BIT : 0) | VOLUME;
      stream.sendPacket(Uint8Array.of(event, flags, duration >> 8, duration & 0xff), payloadType);
      stream.timestamp = voice;
      stream.ssrc = voiceSsrc;
    };
    for (let frame = 1; frame < KEY_FRAMES; frame += 1) {
      send(frame, false);
      await sleep(FRAME_MS);
    }
    for (let repeat = 0; repeat < endRepeats; repeat += 1) send(KEY_FRAMES, true);
    await sleep(PAUSE_MS);
  }
}

/** The keys that the remote side sent as telephone events: one for each timestamp (RFC 4733, section 2.3.5). */
export function keysHeard(
  { heard }: Pick<RtpStream, 'heard'>,
  payloadType: number = DTMF_PAYLOAD_TYPE,
): string {
  const events = heard.filter((packet) => packet.payloadType === payloadType);
  const pressed = new Map(events.map(({ timestamp, payload }) => [timestamp, payload[0] ?? 0]));
  return [...pressed.values()].map((event) => EVENTS[event]).join('');
}
