/** All participants of a room speak at the same time, each with their own tone. What each hears must contain the tones of all others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decode, FRAME_SAMPLES, SAMPLE_RATE } from '@clarion/test-phone/rtp/g711';
import { tonePower } from '@clarion/test-phone/audio/goertzel';
import type { Heard, RtpStream } from '@clarion/test-phone/rtp/port';

export interface RoomAudio {
  sent: number;
  heard: number;
  /** Gaps in the sequence numbers of received packets. */
  lost: number;
  /** Participants that did not hear all others, or heard themselves. */
  misheard: number;
}

/** Multiples of 50 Hz, so that a whole number of periods fits into a frame of 20 ms. */
const TONES_HZ = [400, 700, 1_100, 1_700];
const AMPLITUDE = 5_000;
/** A tone counts as heard if it is this far above the noise. */
const AUDIBLE_POWER = (AMPLITUDE / 8) ** 2 / 2;
/** The last frames that were heard. */
const LISTENED_FRAMES = 10;

/** What one end heard. */
class Listener {
  heard = 0;
  lost = 0;
  #last: Heard[] = [];
  #sequence: number | null = null;
  #ssrc = 0;

  take(packet: Heard): void {
    this.heard += 1;
    const step = (packet.sequence - (this.#sequence ?? packet.sequence)) & 0xffff;
    if (packet.ssrc === this.#ssrc && step > 1 && step < 1_000) this.lost += step - 1;
    this.#ssrc = packet.ssrc;
    this.#sequence = packet.sequence;
    this.#last.push(packet);
    if (this.#last.length > LISTENED_FRAMES) this.#last.shift();
  }

  forget(): void {
    this.heard = 0;
    this.lost = 0;
  }

  hears(hz: number, law: RtpStream['law']): boolean {
    const samples = new Int16Array(FRAME_SAMPLES * this.#last.length);
    this.#last.forEach(({ payload }, index) =>
      samples.set(decode(law, payload).subarray(0, FRAME_SAMPLES), index * FRAME_SAMPLES),
    );
    return tonePower(samples, SAMPLE_RATE, hz) > AUDIBLE_POWER;
  }
}

export async function measureRoomAudio(
  rooms: RtpStream[][],
  settleMs: number,
  forMs: number,
): Promise<RoomAudio> {
  const listeners = rooms.map((ends) =>
    ends.map((end, place) => {
      const ear = new Listener();
      end.keep = false;
      end.onPacket = (packet) => ear.take(packet);
      end.sendTone(TONES_HZ[place] ?? 0, { amplitude: AMPLITUDE });
      return { end, ear, place };
    }),
  );
  const all = listeners.flat();
  const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0);
  await sleep(settleMs);
  all.forEach(({ ear }) => ear.forget());
  const before = sum(({ end }) => end.sent);
  await sleep(forMs);
  const sent = sum(({ end }) => end.sent) - before;
  const hearsWrongTones = (room: typeof all, { end, ear, place }: (typeof all)[number]) =>
    room.some((other) => ear.hears(TONES_HZ[other.place] ?? 0, end.law) === (other.place === place));
  const misheard = listeners.flatMap((room) => room.filter((one) => hearsWrongTones(room, one))).length;
  return { sent, heard: sum(({ ear }) => ear.heard), lost: sum(({ ear }) => ear.lost), misheard };
}
