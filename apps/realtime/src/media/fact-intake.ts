/**
 * Processes facts from media nodes. A fact that can never be processed is set aside with an error in the log, so that later facts
 * are not blocked. The end of a leg always reaches its call, if need be without the details that could not be stored.
 */
import type { CallEvent } from '@clarion/core/call-machine/event';
import { parseState } from '@clarion/core/call-engine/stored';
import { legEnd, legKinds } from '@clarion/protocol/media';
import type { LegEnd, LegKind } from '@clarion/protocol/media';
import { storable } from '@clarion/protocol/storable-text';
import { MAX_INTEGER } from '@clarion/protocol/v1/fields/fields';
import { z } from 'zod';
import type { MediaContext } from './context.ts';
import { isLegOf, isOfRecording, readFact, processFact } from './facts.ts';
import { FailedFacts } from './failed-facts.ts';
import type { Invites } from './invites.ts';

/** The kind of a later version appears in the log by its name; other text does not. */
const factName = z
  .string()
  .regex(/^[a-z:-]{1,40}$/)
  .catch('unknown');

/**
 * The fields without which a fact can neither be repeated nor, if it is the end of a leg, be applied. Fields that a media node of a later
 * version may write differently are omitted if they cannot be parsed.
 */
const outline = z.object({
  factId: z.string(),
  fact: factName,
  payload: z.object({
    legId: z.string(),
    callId: z.number().int().positive().max(MAX_INTEGER).nullable().catch(null),
    kind: z.enum(legKinds).optional().catch(undefined),
    end: legEnd.optional().catch(undefined),
  }),
});
type Outline = z.infer<typeof outline>;

export class FactIntake {
  readonly #context: MediaContext & { invites: Invites };
  readonly #failed: FailedFacts;

  constructor(context: MediaContext & { invites: Invites }) {
    this.#context = context;
    this.#failed = new FailedFacts(() => this.#databaseWorks());
  }

  /**
   * @returns false if media should repeat the fact
   * @throws if media should wait longer before it does
   */
  async process(nodeId: string, received: unknown): Promise<boolean> {
    const message = storable(received);
    const { log } = this.#context.deps;
    const about = outline.safeParse(message);
    const read = readFact(message);
    if (!about.success || !read.success) {
      // Repeating it would not make it valid. Its content is not logged: it may contain a withheld number.
      const named = z.object({ fact: factName }).safeParse(message);
      log.error(
        { err: read.error ?? about.error, fact: named.data?.fact, mediaNodeId: nodeId },
        'invalid fact',
      );
      if (about.success) await this.#putAside(nodeId, about.data);
      return true;
    }
    const { factId } = about.data;
    const fact = read.data;
    try {
      await processFact(this.#context, nodeId, fact);
      this.#failed.processed(factId);
      return true;
    } catch (error) {
      // A recording's fact blocks no other, and its file is kept until the fact is processed.
      if (isOfRecording(fact)) throw error;
      log.error({ err: error, ...subject(about.data), mediaNodeId: nodeId }, 'failed to process a fact');
      if (!(await this.#failed.isHopeless(factId, error))) return false;
      await this.#putAside(nodeId, about.data);
      return true;
    }
  }

  async #putAside(nodeId: string, about: Outline): Promise<void> {
    const { deps, onFactPutAside } = this.#context;
    onFactPutAside(about.fact);
    deps.log.error({ ...subject(about), mediaNodeId: nodeId }, 'fact set aside after repeated failures');
    if (about.fact !== 'leg:ended') return;
    const { legId, kind, end } = about.payload;
    const callId = about.payload.callId ?? (await this.#callOfLeg(nodeId, legId));
    if (callId === null) return;
    const ended: CallEvent = { type: 'leg-ended', legId, end: end ? bare(end) : UNKNOWN_END, stats: null };
    if (await this.#stepped(callId, ended)) return;
    // The customer's leg has ended, so the call cannot continue, whatever could not be stored.
    if (isCarrier(kind)) await this.#stepped(callId, { type: 'media-lost', mediaNodeId: nodeId });
  }

  /** The live call that has this leg on the media node; null: none. */
  async #callOfLeg(nodeId: string, legId: string): Promise<number | null> {
    const { db } = this.#context.deps;
    const calls = await db.liveCall.findMany({
      where: { mediaNodeId: nodeId },
      select: { callId: true, state: true },
    });
    return calls.find(({ state }) => isLegOf(parseState(state), legId))?.callId ?? null;
  }

  async #stepped(callId: number, event: CallEvent): Promise<boolean> {
    const { engine, deps } = this.#context;
    try {
      await engine.step(callId, event);
      return true;
    } catch (error) {
      deps.log.error(
        { err: error, callId, event: event.type },
        'failed to apply the end of a leg to its call',
      );
      return false;
    }
  }

  /** Updates our own row: a database that only answers reads does not count as working. */
  async #databaseWorks(): Promise<boolean> {
    const { db, nodeId, now } = this.#context.deps;
    try {
      await db.realtimeNode.updateMany({ where: { id: nodeId }, data: { heartbeatAt: now() } });
      return true;
    } catch {
      return false;
    }
  }
}

const subject = ({ factId, fact, payload: { callId, legId } }: Outline) => ({ factId, fact, callId, legId });

const isCarrier = (kind: LegKind | undefined) => kind === 'carrier-in' || kind === 'carrier-out';

/** The fields that decide the outcome, without text from the far end. */
const bare = (end: LegEnd): LegEnd => ({ ...end, sipReason: null, message: UNKNOWN_END.message });

const UNKNOWN_END: LegEnd = {
  cause: 'media-error',
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: false,
  message: 'The details of the end of the leg could not be stored.',
};
