/**
 * One tick of a room of three in our mixer (three sources through their jitter buffers, three listeners, each frame numbered and emitted),
 * compared with the bare work in the same process: decode three frames by table, add two for each listener, encode by table.
 */
import pino from 'pino';
import { Player } from '../../apps/media/src/leg/player.ts';
import { VoiceSource } from '../../apps/media/src/leg/voice-source.ts';
import { ClipCache } from '../../apps/media/src/mix/clip-cache.ts';
import { RtpSequencer } from '../../apps/media/src/rtp/sequencer.ts';
import { decodeTable, encodeTable, FRAME_MS, FRAME_SAMPLES } from '../../apps/media/src/rtp/g711.ts';
import type { RtpPacket } from '../../apps/media/src/rtp/packet.ts';
import { Ticker, type Tick } from '../../apps/media/src/rtp/ticker.ts';
import type { Plan, LogProgress } from './plan.ts';
import type { Row } from './rows.ts';

const PARTIES = 3;
/** Many rooms, so that their data is not in the CPU caches, as in a running node. */
const ROOMS = 100;
const LAW = 'PCMA';
const TICKS_PER_SECOND_OF_PLAN = 200;
const WARM_UP_TICKS = 300;

/** A clock that is advanced manually. */
class ManualTicker extends Ticker {
  readonly #ticks = new Set<Tick>();
  #count = 0;

  override add(tick: Tick): void {
    this.#ticks.add(tick);
  }

  override remove(tick: Tick): void {
    this.#ticks.delete(tick);
  }

  turn(): void {
    this.#count += 1;
    for (const tick of this.#ticks) tick(this.#count * FRAME_MS, this.#count);
  }
}

/** Similar to speech: no payload is repeated, and no silence allows a shortcut. */
const voices = Array.from({ length: 64 }, (_, voice) =>
  Buffer.from(
    Array.from({ length: FRAME_SAMPLES }, (_, index) => (index * 37 + voice * 91 + index * voice) & 0xff),
  ),
);
const payloadOf = (room: number, party: number, tick: number): Buffer =>
  voices[(room * 7 + party * 13 + tick) % voices.length] ?? Buffer.alloc(0);

class OurRooms {
  readonly #ticker = new ManualTicker();
  readonly #speakers: VoiceSource[][] = [];
  readonly #packet: RtpPacket = {
    payloadType: 8,
    marker: false,
    sequenceNumber: 0,
    timestamp: 0,
    ssrc: 1,
    payload: Buffer.alloc(0),
  };
  #tick = 0;
  /** Sum of the output, to verify that there was some. */
  checksum = 0;
  frames = 0;

  constructor() {
    const clips = new ClipCache({ read: () => Promise.resolve(null), log: pino({ level: 'silent' }) });
    const format = {
      law: LAW,
      payloadType: 8,
      dtmfPayloadType: null,
      passThrough: { PCMU: 0, PCMA: 8 },
    } as const;
    for (let room = 0; room < ROOMS; room += 1) {
      const speakers = Array.from({ length: PARTIES }, () => new VoiceSource());
      this.#speakers.push(speakers);
      for (const listener of speakers) {
        const player = new Player({
          ticker: this.#ticker,
          clips,
          sequencer: new RtpSequencer({ ssrc: 1, sequenceNumber: 0, timestamp: 0 }),
          format: () => format,
          send: ({ payload }) => {
            this.frames += 1;
            this.checksum += payload[0] ?? 0;
          },
          sendsSilence: true,
          onPlayed: () => undefined,
        });
        const others = speakers.filter((voice) => voice !== listener);
        player.play(others.map((voice) => ({ kind: 'voice', voice })));
      }
    }
  }

  run(ticks: number): void {
    const packet = this.#packet;
    for (let done = 0; done < ticks; done += 1) {
      this.#tick += 1;
      packet.sequenceNumber = this.#tick & 0xffff;
      packet.timestamp = (this.#tick * FRAME_SAMPLES) >>> 0;
      this.#speakers.forEach((speakers, room) =>
        speakers.forEach((voice, party) => {
          packet.payload = payloadOf(room, party, this.#tick);
          voice.push(packet, LAW, room * PARTIES + party + 1, this, this.#tick * FRAME_MS);
        }),
      );
      this.#ticker.turn();
    }
  }
}

class BareRooms {
  readonly #frames = Array.from({ length: ROOMS }, () =>
    Array.from({ length: PARTIES }, () => new Int16Array(FRAME_SAMPLES)),
  );
  readonly #payload = new Uint8Array(FRAME_SAMPLES);
  #tick = 0;
  checksum = 0;

  run(ticks: number): void {
    for (let done = 0; done < ticks; done += 1) {
      this.#tick += 1;
      this.#frames.forEach((frames, room) => {
        frames.forEach((frame, party) => decodeInto(payloadOf(room, party, this.#tick), frame));
        const [a, b, c] = frames;
        if (!a || !b || !c) return;
        this.#give(b, c);
        this.#give(a, c);
        this.#give(a, b);
      });
    }
  }

  #give(one: Int16Array, other: Int16Array): void {
    addInto(one, other, this.#payload);
    this.checksum += this.#payload[0] ?? 0;
  }
}

function decodeInto(payload: Buffer, frame: Int16Array): void {
  const table = decodeTable[LAW];
  for (let index = 0; index < FRAME_SAMPLES; index += 1) frame[index] = table[payload[index] ?? 0] ?? 0;
}

/** With the limit that keeps the sum of two sources within the table. */
function addInto(one: Int16Array, other: Int16Array, target: Uint8Array): void {
  const table = encodeTable[LAW];
  for (let index = 0; index < FRAME_SAMPLES; index += 1) {
    const added = (one[index] ?? 0) + (other[index] ?? 0);
    const sample = added > 32_767 ? 32_767 : added < -32_768 ? -32_768 : added;
    target[index] = table[sample & 0xffff] ?? 0;
  }
}

export function measureMixing(plan: Plan, log: LogProgress): Promise<Row[]> {
  const ticks = Math.ceil(plan.seconds * TICKS_PER_SECOND_OF_PLAN);
  const ours = new OurRooms();
  const bare = new BareRooms();
  const usPerTick = (rooms: OurRooms | BareRooms) => {
    const before = process.cpuUsage();
    rooms.run(ticks);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / ticks / ROOMS;
  };
  ours.run(WARM_UP_TICKS);
  bare.run(WARM_UP_TICKS);
  const figures: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let round = 1; round <= plan.rounds; round += 1) {
    figures.ours.push(usPerTick(ours));
    figures.bare.push(usPerTick(bare));
    log(
      `round ${round}: a mix tick ${figures.ours.at(-1)?.toFixed(2)} µs, bare ${figures.bare.at(-1)?.toFixed(2)} µs`,
    );
  }
  const expected = (WARM_UP_TICKS + ticks * plan.rounds) * ROOMS * PARTIES;
  if (ours.frames < expected * 0.99 || ours.checksum === 0 || bare.checksum === 0)
    throw new Error(`the mixer emitted ${ours.frames} of ${expected} frames`);
  return Promise.resolve([
    {
      name: 'a mix tick of a room of three',
      unit: 'µs of CPU',
      ours: figures.ours,
      peer: { name: 'bare table mix', figures: figures.bare },
      goal: 3,
      limit: 3,
      lost: { ours: 0, peer: 0 },
    },
  ]);
}
