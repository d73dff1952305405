/**
 * Records one call: listens to the voices that the latest plan names and appends their packets to the spool. A paused
 * recording does not listen, so that nothing is written.
 */
import type { RecordPlan } from '@clarion/protocol/media';
import type { VoiceSource, VoicePacket } from '../leg/voice-source.ts';
import { SAMPLE_RATE } from '../rtp/g711.ts';
import type { Channel, SpooledPacket } from './spool-format.ts';
import { SpoolWriter } from './spool-writer.ts';

/** Maximum number of voices in a recording: each device that an agent uses is one. Further voices are not recorded. */
const MAX_VOICES = 255;

/** The part of a leg that a recorder uses. */
export interface RecordedLeg {
  legId: string;
  voice: VoiceSource;
  /** The leg that it replaces, before the plan names the new one. */
  replaces?: string | null;
}

export class CallRecorder {
  readonly #writer: SpoolWriter;
  readonly #beganMs = performance.now();
  readonly #indexes = new Map<string, number>();
  readonly #listening = new Map<string, { voice: VoiceSource; stop: () => void }>();
  #plan: RecordPlan = { left: [], right: [], paused: false };
  #ended: Promise<void> | null = null;

  constructor(spoolPath: string, onFailed: (error: Error) => void) {
    this.#writer = new SpoolWriter(spoolPath, onFailed);
  }

  setPlan(plan: RecordPlan, legs: readonly RecordedLeg[]): void {
    this.#plan = plan;
    this.sync(legs);
  }

  /** Applies the plan to the current legs of the call. */
  sync(legs: readonly RecordedLeg[]): void {
    if (this.#ended) return;
    const wanted = new Map<string, { voice: VoiceSource; channel: Channel; legId: string }>();
    for (const channel of ['left', 'right'] as const) {
      for (const { legId, voice, replaces } of this.#plan.paused ? [] : legs) {
        const named = this.#plan[channel];
        if (!named.includes(legId) && !(replaces && named.includes(replaces))) continue;
        wanted.set(`${channel} ${legId}`, { voice, channel, legId });
      }
    }
    for (const [key, { voice, stop }] of this.#listening) {
      if (wanted.get(key)?.voice === voice) continue;
      stop();
      this.#listening.delete(key);
    }
    for (const [key, { voice, channel, legId }] of wanted) {
      if (this.#listening.has(key)) continue;
      const index = this.#indexOf(key, channel, legId);
      if (index !== null) this.#listening.set(key, { voice, stop: voice.listen(this.#listener(index)) });
    }
  }

  /** Must be called periodically: flushes the recorded packets to the disk. */
  tick(): void {
    if (!this.#ended) this.#writer.tick(this.#samplesAt(performance.now()));
  }

  /** Resolves when the spool is closed. */
  end(): Promise<void> {
    return (this.#ended ??= this.#end());
  }

  #end(): Promise<void> {
    for (const { stop } of this.#listening.values()) stop();
    this.#listening.clear();
    return this.#writer.end(this.#samplesAt(performance.now()));
  }

  #indexOf(key: string, channel: Channel, legId: string): number | null {
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const index = this.#indexes.size;
    if (index >= MAX_VOICES) return null;
    this.#indexes.set(key, index);
    this.#writer.voice(index, channel, legId);
    return index;
  }

  #listener(voice: number): (packet: VoicePacket, nowMs: number) => void {
    const spooled: SpooledPacket = {
      at: 0,
      voice,
      law: 'PCMU',
      sequenceNumber: 0,
      timestamp: 0,
      ssrc: 0,
      payload: Buffer.alloc(0),
    };
    return (packet, nowMs) => {
      spooled.at = this.#samplesAt(nowMs);
      spooled.law = packet.law;
      spooled.sequenceNumber = packet.sequenceNumber;
      spooled.timestamp = packet.timestamp;
      spooled.ssrc = packet.ssrc;
      spooled.payload = packet.payload;
      this.#writer.packet(spooled);
    };
  }

  #samplesAt(nowMs: number): number {
    return Math.max(0, Math.round(((nowMs - this.#beganMs) * SAMPLE_RATE) / 1000));
  }
}
