/** What each leg of a call hears, and what is recorded. */
import { z } from 'zod';
import { legId } from './fields.ts';

/** 8 kHz mono PCM: a stored file by its key, or one of the spoken words for announcements that media contains. */
export const clip = z.union([
  z.strictObject({ file: z.string().min(1).max(500) }),
  z.strictObject({ word: z.string().min(1).max(64) }),
]);
export type Clip = z.infer<typeof clip>;

/** What a leg hears: the mix of its sources. An empty list is silence. */
export const source = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('leg'), legId }),
  /**
   * ringback: the regional ringback tone for an agent, replaced by audio from a carrier leg that has not answered while there is
   * any. hold: a soft repeated tone.
   */
  z.object({ kind: z.literal('tone'), tone: z.enum(['ringback', 'hold']) }),
  /**
   * Clips in sequence. A new `playId` starts from the beginning; with the same `playId` playback continues. `loop` repeats the
   * sequence; otherwise the fact `leg:played` reports its end, and silence follows. If a clip is unavailable, a loop is replaced
   * by the hold tone; otherwise `leg:played` reports it immediately.
   */
  z.object({
    kind: z.literal('audio'),
    clips: z.array(clip).min(1).max(64),
    loop: z.boolean(),
    playId: z.string().min(1).max(64),
  }),
]);
export type Source = z.infer<typeof source>;

/** legId → what it hears. A leg that is not listed hears nothing. */
export const route = z.record(legId, z.array(source));
export type Route = z.infer<typeof route>;

/**
 * What is recorded from now on: the voices of the left channel (the customer) and of the right one (the agent, and a supervisor whom
 * the customer hears). A paused recording continues with silence, so that it stays as long as the call. Media starts the recording
 * at the first route that contains one, and finishes it at a route without one or when the call is released.
 */
export const recordPlan = z.object({
  left: z.array(legId),
  right: z.array(legId),
  paused: z.boolean(),
});
export type RecordPlan = z.infer<typeof recordPlan>;
