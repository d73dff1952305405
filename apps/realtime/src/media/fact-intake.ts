/**
 * Processes facts from media nodes. A fact that can never be processed is stored for the operator (`FailedFact`) with an error in the log,
 * so that later facts are not blocked, and its leg is ended. The end of a leg always reaches its call, if need be without the details that
 * could not be stored.
 */
import { recordFailedFact } from '@clarion/core/call-engine/failed-facts';
import type { FailedFactOutcome, NewFailedFact } from '@clarion/core/call-engine/failed-facts';
import { legEnd } from '@clarion/protocol/media';
import { storable } from '@clarion/protocol/storable-text';
import { MAX_INTEGER } from '@clarion/protocol/v1/fields/fields';
import { z } from 'zod';
import type { MediaContext } from './context.ts';
import { endFailedLeg } from './end-failed-leg.ts';
import { timeOfFact } from './fact-time.ts';
import type { Arrival } from './fact-time.ts';
import { isOfRecording, processFact, readFact, sentOf } from './facts.ts';
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
    callId: z.number().int().min(-MAX_INTEGER).max(MAX_INTEGER).nullable().catch(null),
    end: legEnd.optional().catch(undefined),
  }),
});
type Outline = z.infer<typeof outline>;

type Failure = Pick<NewFailedFact, 'error' | 'payload'>;

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
  async process(nodeId: string, received: unknown, arrival: Arrival): Promise<boolean> {
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
      if (!about.success) return true;
      return this.#putAside(nodeId, about.data, { error: read.error, payload: null });
    }
    const { factId } = about.data;
    const fact = read.data;
    try {
      const at = timeOfFact(sentOf(message), fact.payload.at, arrival);
      await processFact(this.#context, nodeId, fact, at);
      this.#failed.processed(factId);
      return true;
    } catch (error) {
      // A recording's fact blocks no other, and its file is kept until the fact is processed.
      if (isOfRecording(fact)) throw error;
      log.error({ err: error, ...subject(about.data), mediaNodeId: nodeId }, 'failed to process a fact');
      if (!(await this.#failed.isHopeless(factId, error))) return false;
      return this.#putAside(nodeId, about.data, { error, payload: fact.payload });
    }
  }

  /** @returns false if media must repeat the fact, because the database failed meanwhile */
  async #putAside(nodeId: string, about: Outline, failure: Failure): Promise<boolean> {
    const { deps, onFactPutAside } = this.#context;
    let outcome: FailedFactOutcome;
    try {
      outcome = await this.#end(nodeId, about, failure);
      if (outcome === 'NOT_ENDED' && !(await this.#databaseWorks())) return false;
    } catch (error) {
      deps.log.warn({ err: error, ...subject(about) }, 'failed to end the leg of a fact');
      return false;
    }
    onFactPutAside(about.fact);
    const named = { ...subject(about), mediaNodeId: nodeId };
    deps.log.error({ ...named, outcome }, 'fact set aside after repeated failures');
    const row = { ...named, realtimeNodeId: deps.nodeId, outcome };
    await recordFailedFact(deps.db, { ...row, ...failure }, deps.now()).catch((error: unknown) =>
      deps.log.error({ err: error, ...named }, 'failed to store a failed fact'),
    );
    return true;
  }

  async #end(nodeId: string, { fact, payload }: Outline, failure: Failure): Promise<FailedFactOutcome> {
    const { legId, callId, end } = payload;
    const isEnd = fact === 'leg:ended';
    // An invalid fact may be of a later version, so it ends no leg.
    if (!isEnd && failure.payload === null) return 'IGNORED';
    const ended = isEnd ? { end: end ?? null } : null;
    return endFailedLeg(this.#context, { mediaNodeId: nodeId, legId, callId, ended });
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
