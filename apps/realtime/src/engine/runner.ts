/**
 * The engine's runner: steps calls (core/call/engine) and carries out what a committed step asks for. Effects that cannot be
 * carried out now stay in the outbox; media's final refusal comes back as an event.
 */
import { createCallBack } from '@clarion/core/call/engine/call-back';
import type { Pending } from '@clarion/core/call/engine/commit';
import { dispatchQueues, queuesAround } from '@clarion/core/call/engine/dispatch';
import { returnPending, settlePending } from '@clarion/core/call/engine/outbox';
import { queueStanding } from '@clarion/core/call/engine/queue-standing';
import { seekAgent } from '@clarion/core/call/engine/seek-agent';
import { agentDemand } from '@clarion/core/call/engine/agent-demand';
import { stepCall } from '@clarion/core/call/engine/step-call';
import type { Stepped } from '@clarion/core/call/engine/step-call';
import type { OutsideEffect } from '@clarion/core/call/effects';
import type { CallEvent } from '@clarion/core/call/event';
import { nextDeadline } from '@clarion/core/call/machine';
import { assertNever } from '@clarion/core/call/outcome';
import type { QueueWait } from '@clarion/core/call/state';
import { askLookup } from '@clarion/core/lookup/ask-lookup';
import type { Deps } from '../deps.ts';
import type { MediaNodes } from '../media/nodes.ts';
import { recordingKeyFor, sendOrder } from '../media/orders.ts';
import type { Tell } from '../agents/tell.ts';
import type { TellSession } from '../dashboard/tell-session.ts';
import { Coalesced } from './coalesced.ts';

/** Pause before an effect that could not be run is tried again. */
const RETRY_EFFECT_MS = 500;

export class Engine {
  readonly #deps: Deps;
  readonly #media: MediaNodes;
  readonly #tell: Tell;
  readonly #tellSession: TellSession;
  readonly #dispatching: Coalesced<number>;
  /** Effects on their way; awaited when the process stops. */
  readonly #running = new Set<Promise<void>>();
  /** Told of every deadline that a step leaves behind. */
  onDeadline: (callId: number, at: number) => void = () => undefined;

  constructor(deps: Deps, media: MediaNodes, tell: Tell, tellSession: TellSession) {
    this.#deps = deps;
    this.#media = media;
    this.#tell = tell;
    this.#tellSession = tellSession;
    this.#dispatching = new Coalesced(async (queueId) =>
      this.#dispatchTogether(await queuesAround(deps.db, queueId)),
    );
  }

  /**
   * Steps a call and starts its effects.
   *
   * @param at when it happened; now, unless media says otherwise
   * @throws AgentTaken; a database error
   */
  async step(callId: number, event: CallEvent, at: Date = this.#deps.now()): Promise<Stepped> {
    return this.carryOut(event.type, () => stepCall(this.#deps.db, callId, event, at, { runsEffects: true }));
  }

  /** The same for a verb that checks something in the transaction of its step; `work` must leave the effects to us. */
  async carryOut<S extends Stepped>(event: CallEvent['type'], work: () => Promise<S>): Promise<S> {
    const stepped = await work();
    if (stepped.kind === 'stepped' && stepped.changed) {
      const { previous, state, pending } = stepped;
      if (previous.phase !== state.phase) {
        this.#deps.log.info(
          { callId: state.callId, event, from: previous.phase, to: state.phase },
          'call state changed',
        );
      }
      const deadline = nextDeadline(state);
      if (deadline !== null) this.onDeadline(state.callId, deadline);
      this.run(pending);
    }
    return stepped;
  }

  /** Carries out a committed step's effects, without being waited for. */
  run(pending: Pending | null): void {
    if (!pending) return;
    const work = this.#runAll(pending)
      .catch((error: unknown) => {
        // The row is still there and will be claimed again when our claim runs out.
        this.#deps.log.warn({ err: error, callId: pending.callId }, 'failed to settle effects');
      })
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  /**
   * Offers a queue's waiting calls to its free agents; where it shares agents with other queues, older calls of those come first.
   * Many requests at once become one.
   */
  async dispatch(queueId: number): Promise<void> {
    await this.#dispatching.run(queueId);
  }

  /** Callers of the agent's own line first, because nobody else can serve them; then every queue of the agent. */
  async dispatchForAgent(agentId: number): Promise<void> {
    const { callIds, queueIds } = await agentDemand(this.#deps.db, agentId);
    for (const callId of callIds) await this.#seek(callId, agentId);
    await this.#dispatchTogether(queueIds);
  }

  async #seek(callId: number, agentId: number): Promise<void> {
    const { db, now } = this.#deps;
    await this.carryOut('offer', () => seekAgent(db, callId, agentId, now(), { runsEffects: true }));
  }

  /** Queues with a waiting call. */
  async #waitingQueues(): Promise<number[]> {
    const rows = await this.#deps.db.liveCall.findMany({
      where: { waitingQueueId: { not: null } },
      distinct: ['waitingQueueId'],
      select: { waitingQueueId: true },
    });
    return rows.flatMap(({ waitingQueueId }) => (waitingQueueId === null ? [] : [waitingQueueId]));
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** One round over everybody who waits. */
  async dispatchAll(): Promise<void> {
    const done = new Set<number>();
    for (const queueId of await this.#waitingQueues()) {
      if (done.has(queueId)) continue;
      const around = await queuesAround(this.#deps.db, queueId);
      await this.#dispatchTogether(around);
      for (const each of around) done.add(each);
    }
  }

  async #dispatchTogether(queueIds: number[]): Promise<void> {
    const { db, now } = this.#deps;
    for (const pending of await dispatchQueues(db, queueIds, now(), { runsEffects: true })) this.run(pending);
  }

  /** All at once: commands to one media node keep their order on its socket, and words to agents wait for nobody. */
  async #runAll({ outboxId, callId, effects }: Pending): Promise<void> {
    const recordingKey = await recordingKeyFor(this.#deps, callId, effects);
    const outcomes = await Promise.allSettled(
      effects.map((effect) => this.#runOne(callId, effect, recordingKey)),
    );
    const left = effects.filter((_, index) => {
      const outcome = outcomes[index];
      if (outcome?.status === 'rejected') {
        this.#deps.log.warn(
          { err: outcome.reason as unknown, callId, kind: effects[index]?.kind },
          'effect failed',
        );
        return true;
      }
      return outcome?.value === false;
    });
    if (left.length === 0) return settlePending(this.#deps.db, outboxId);
    const retryAt = new Date(this.#deps.now().getTime() + RETRY_EFFECT_MS);
    return returnPending(this.#deps.db, outboxId, left, retryAt);
  }

  /** The call goes on in any case: without an answer of ours at its own deadline. */
  async #lookUp(callId: number): Promise<void> {
    const said = await askLookup(this.#deps, callId);
    if (!said) return;
    this.#deps.log.info({ callId, result: said.result, reject: said.reject }, 'lookup hook responded');
    await this.step(callId, { type: 'looked-up', ...said });
  }

  /** @returns false when it is to be tried again */
  async #runOne(callId: number, effect: OutsideEffect, recordingKey: string | null): Promise<boolean> {
    switch (effect.kind) {
      case 'tell':
        await this.#tell(callId, effect.agentId, effect.what);
        return true;
      case 'tell-session':
        this.#tellSession(callId, effect.sessionId, effect.what);
        return true;
      case 'dispatch':
        await this.dispatch(effect.queueId);
        return true;
      case 'dispatch-agent':
        await this.dispatchForAgent(effect.agentId);
        return true;
      case 'media': {
        const result = await sendOrder(
          this.#deps,
          this.#media,
          callId,
          effect.mediaNodeId,
          effect.order,
          recordingKey,
        );
        if (result.kind === 'refused') {
          const { command } = effect.order;
          const legId = 'legId' in effect.order ? effect.order.legId : null;
          await this.step(callId, { type: 'command-failed', command, legId, message: result.message });
        }
        return result.kind !== 'unreachable';
      }
      case 'board':
        await this.#deps.boardFeed.changed(effect.tenantId, callId);
        return true;
      case 'lookup':
        await this.#lookUp(callId);
        return true;
      case 'seek-agent':
        await this.#seek(callId, effect.agentId);
        return true;
      case 'announce': {
        const standing = await queueStanding(this.#deps.db, callId, effect.queueId);
        if (standing) await this.step(callId, { type: 'announced', playId: effect.playId, ...standing });
        return true;
      }
      case 'call-back':
        return this.#callBack(callId, effect.wait);
      default:
        return assertNever(effect);
    }
  }

  async #callBack(callId: number, wait: QueueWait): Promise<boolean> {
    const { db, nodeId, now, log } = this.#deps;
    const result = await createCallBack(db, { callId, wait, leaseNodeId: nodeId }, now());
    if (result.kind === 'refused')
      log.warn({ callId, reason: result.reason }, 'callback could not be created');
    if (result.kind === 'created') this.run(result.pending);
    return result.kind !== 'later';
  }
}
