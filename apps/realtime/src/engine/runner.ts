/**
 * Steps calls (core/call-engine) and runs the effects of committed steps. Effects that cannot run now stay in the outbox; a command that
 * media rejects permanently returns to the call as an event.
 */
import { createCallback } from '@clarion/core/call-engine/callback';
import type { CallAfterStep, CommitOptions, Pending } from '@clarion/core/call-engine/commit';
import { dispatchQueues } from '@clarion/core/call-engine/dispatch';
import { claimPending, returnPending } from '@clarion/core/call-engine/outbox';
import { queuePosition } from '@clarion/core/call-engine/queue-position';
import { ringAgent } from '@clarion/core/call-engine/ring-agent';
import { agentDemand } from '@clarion/core/call-engine/agent-demand';
import { stepCall } from '@clarion/core/call-engine/step-call';
import type { Stepped } from '@clarion/core/call-engine/step-call';
import type { OutsideEffect } from '@clarion/core/call-machine/effects';
import type { CallEvent } from '@clarion/core/call-machine/event';
import { LONGEST_TURN_MS } from '@clarion/core/call-engine/sweep';
import { nextDeadline } from '@clarion/core/call-machine/machine';
import { assertNever } from '@clarion/core/call-machine/outcome';
import { isConnection } from '@clarion/core/call-machine/state';
import type { QueueWait } from '@clarion/core/call-machine/state';
import { needsExtensionAtOnce } from '@clarion/core/ledger/call-credit';
import { queryLookupHook } from '@clarion/core/lookup/query-lookup-hook';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import { BackgroundWork } from '../lib/background-work.ts';
import { recordingKeyFor, sendMediaCommand } from '../media/commands.ts';
import type { MediaNodes } from '../media/nodes.ts';
import type { NotifyAgent } from '../notify/notify-agent.ts';
import type { NotifySession } from '../notify/notify-session.ts';
import { runWhatsAppCommand } from '../whatsapp/commands.ts';
import type { WhatsAppContext } from '../whatsapp/context.ts';
import type { CountedGraph } from '../whatsapp/counted-graph.ts';
import { Coalesced } from './coalesced.ts';
import { LatestSteps } from './latest-steps.ts';
import { Settlements } from './settlements.ts';
import { Unfinished } from './unfinished.ts';

/** Pause before an effect that could not be run is tried again. */
const RETRY_EFFECT_MS = 250;
/**
 * The node that could not run it waits for longer, so that every other node sweeps before it: media may be connected to another one only. More than
 * the pause and an interval of the sweeps.
 */
const RETRY_OWN_EFFECT_MS = 1_500;
/** For how long a call that waits for a dispatch delays new calls. A dispatch that takes longer hangs, or its queue does. */
const DISPATCH_COUNTS_MS = 5_000;

export class EngineRunner implements CallEngine {
  readonly #deps: Deps;
  readonly #media: MediaNodes;
  readonly #notifyAgent: NotifyAgent;
  readonly #notifySession: NotifySession;
  readonly #dispatching: Coalesced<number>;
  readonly #settlements: Settlements;
  /** Also used by the other handlers of WhatsApp calls. */
  readonly whatsApp: WhatsAppContext;
  /** By the key of the next dispatch: the queues for which it was requested. */
  readonly #toDispatch = new Map<number, Set<number>>();
  readonly #latestSteps = new LatestSteps();
  /** Rows of effects that this node could not run, and until when they are left to other nodes. */
  readonly #leftToOthers = new Map<bigint, number>();
  /** Effects in flight; awaited when the process stops. */
  readonly #running = new Set<Promise<void>>();
  /** Called with the next deadline after every step. */
  onDeadline: (callId: number, at: number) => void = () => undefined;
  onDispatched: () => void = () => undefined;
  /** Called with a call that has been connected and whose first block may end before the sweep finds it. */
  onChargedFromNow: (callId: number) => void = () => undefined;
  readonly #undispatched: Unfinished;

  constructor(
    deps: Deps,
    media: MediaNodes,
    graph: CountedGraph,
    notifyAgent: NotifyAgent,
    notifySession: NotifySession,
    dispatchCountsMs = DISPATCH_COUNTS_MS,
  ) {
    this.#deps = deps;
    this.#media = media;
    this.#notifyAgent = notifyAgent;
    this.#notifySession = notifySession;
    this.#settlements = new Settlements(deps);
    this.whatsApp = {
      deps,
      nodes: media,
      engine: this,
      graph,
      background: new BackgroundWork(deps.log),
      onNamed: () => undefined,
    };
    this.#dispatching = new Coalesced((key) => this.#dispatchRequested(key));
    this.#undispatched = new Unfinished(dispatchCountsMs, () => this.onDispatched());
  }

  async step(callId: number, event: CallEvent, at: Date = this.#deps.now()): Promise<Stepped> {
    return this.carryOut(event.type, () => stepCall(this.#deps.db, callId, event, at, this.#options));
  }

  async carryOut<S extends Stepped>(event: CallEvent['type'], work: () => Promise<S>): Promise<S> {
    const stepped = await work();
    if (stepped.kind === 'stepped' && stepped.changed) {
      const { previous, state, pending } = stepped;
      if (previous.phase !== state.phase) {
        this.#deps.log.info(
          { callId: state.callId, event, from: previous.phase, to: state.phase },
          'call changed phase',
        );
      }
      const deadline = nextDeadline(state);
      if (deadline !== null) this.onDeadline(state.callId, deadline);
      if (isConnection(previous, state) && needsExtensionAtOnce(state.pricing, LONGEST_TURN_MS))
        this.onChargedFromNow(state.callId);
      this.run(pending);
    }
    return stepped;
  }

  run(pending: Pending | null): void {
    if (!pending) return;
    const work = this.#runAll(pending, this.#latestSteps.committed(pending))
      .catch((error: unknown) => {
        // The row still exists and is claimed again when this claim expires.
        this.#deps.log.warn({ err: error, callId: pending.callId }, 'failed to run effects');
      })
      .finally(() => {
        this.#latestSteps.done(pending);
        this.#running.delete(work);
      });
    this.#running.add(work);
  }

  async runStored(onlyId?: bigint): Promise<void> {
    const now = this.#deps.now();
    for (const [id, until] of this.#leftToOthers) if (until <= now.getTime()) this.#leftToOthers.delete(id);
    const exceptIds = [...this.#leftToOthers.keys()];
    const which = { ...(onlyId !== undefined && { onlyId }), exceptIds };
    for (const pending of await claimPending(this.#deps.db, now, which)) this.run(pending);
  }

  mediaConnected(): void {
    this.#leftToOthers.clear();
  }

  async dispatch(queueId: number): Promise<void> {
    await this.#dispatchTogether([queueId]);
  }

  async dispatchForAgent(agentId: number): Promise<void> {
    const { callIds, queueIds } = await agentDemand(this.#deps.db, agentId);
    for (const callId of callIds) await this.#ringAgent(callId, agentId);
    await this.#dispatchTogether(queueIds);
  }

  get undispatched(): number {
    return this.#undispatched.count;
  }

  /** The effect is run again when its claim expires, even if its first run hangs: they are the same work. */
  async #dispatchCall(callId: number, queueId: number): Promise<void> {
    const finished = this.#undispatched.begin(`${callId}/${queueId}`);
    await this.dispatch(queueId).finally(finished);
  }

  async #ringAgent(callId: number, agentId: number): Promise<void> {
    const { db, now } = this.#deps;
    await this.carryOut('offer', () => ringAgent(db, callId, agentId, now(), this.#options));
  }

  get #options(): CommitOptions {
    return { runsEffects: true, memory: this.#deps.memory };
  }

  /** Resolves when no effect is in flight. */
  async settled(): Promise<void> {
    const { background } = this.whatsApp;
    while (this.#running.size > 0 || !background.isIdle) {
      await Promise.all([...this.#running, background.settled()]);
    }
    await this.#settlements.flush();
  }

  /**
   * Requests with the same first queue are coalesced, and that is the queue with the oldest call: agents who are released together would
   * otherwise all be offered the same call.
   */
  async #dispatchTogether(queueIds: readonly number[]): Promise<void> {
    const [key] = queueIds;
    if (key === undefined) return;
    const requested = this.#toDispatch.get(key) ?? new Set();
    this.#toDispatch.set(key, requested);
    for (const queueId of queueIds) requested.add(queueId);
    await this.#dispatching.run(key);
  }

  async #dispatchRequested(key: number): Promise<void> {
    const queueIds = [...(this.#toDispatch.get(key) ?? [key])];
    this.#toDispatch.delete(key);
    await dispatchQueues(this.#deps.db, queueIds, {
      ...this.#options,
      clock: this.#deps.now,
      onCommitted: (pending) => this.run(pending),
    });
  }

  /** All concurrently: commands to one media node keep their order on its socket, and notifications of agents wait for none of them. */
  async #runAll(pending: Pending, after: () => CallAfterStep | null): Promise<void> {
    const { outboxId, callId, effects, channelType } = pending;
    const recordingKey = recordingKeyFor(this.#deps, callId, effects);
    const outcomes = await Promise.allSettled(
      effects.map((effect) => this.#runOne(callId, effect, { outboxId, after, recordingKey, channelType })),
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
    if (left.length === 0) return this.#settlements.add(outboxId);
    const now = this.#deps.now().getTime();
    this.#leftToOthers.set(outboxId, now + RETRY_OWN_EFFECT_MS);
    return returnPending(this.#deps.db, outboxId, left, new Date(now + RETRY_EFFECT_MS));
  }

  /** The call continues in any case: without a response, at its own deadline. */
  async #runLookup(callId: number): Promise<void> {
    const response = await queryLookupHook(this.#deps, callId);
    if (!response) return;
    this.#deps.log.info(
      { callId, result: response.result, reject: response.reject },
      'lookup hook responded',
    );
    await this.step(callId, { type: 'looked-up', ...response });
  }

  /** @returns false if the effect is to be retried */
  async #runOne(
    callId: number,
    effect: OutsideEffect,
    {
      outboxId,
      after,
      recordingKey,
      channelType,
    }: Pick<Pending, 'outboxId' | 'channelType'> & {
      after: () => CallAfterStep | null;
      recordingKey: Promise<string | null>;
    },
  ): Promise<boolean> {
    switch (effect.kind) {
      case 'notify-agent':
        await this.#notifyAgent(callId, effect.agentId, effect.what, after);
        if (effect.what.message === 'incoming' && effect.what.waking)
          await this.#noticeConnected(callId, effect.agentId);
        return true;
      case 'notify-session':
        await this.#notifySession(callId, effect.sessionId, effect.what);
        return true;
      case 'dispatch':
        await this.#dispatchCall(callId, effect.queueId);
        return true;
      case 'dispatch-agent':
        await this.dispatchForAgent(effect.agentId);
        return true;
      case 'media': {
        const { mediaNodeId: nodeId, order } = effect;
        const target = { callId, nodeId, outboxId };
        const key = await recordingKey;
        const result =
          channelType === 'WHATSAPP'
            ? await runWhatsAppCommand(this.whatsApp, target, order, key)
            : await sendMediaCommand(this.#deps, this.#media, target, order, key);
        if (result.kind === 'refused') {
          const { command } = effect.order;
          const legId = 'legId' in effect.order ? effect.order.legId : null;
          const { message, reason } = result;
          await this.step(callId, {
            type: 'command-failed',
            command,
            legId,
            message,
            ...(reason && { reason }),
          });
        }
        return result.kind !== 'unreachable';
      }
      case 'board':
        await this.#deps.boardFeed.changed(effect.tenantId, callId);
        return true;
      case 'lookup':
        await this.#runLookup(callId);
        return true;
      case 'ring-agent':
        await this.#ringAgent(callId, effect.agentId);
        return true;
      case 'announce': {
        const position = await queuePosition(this.#deps.db, callId, effect.queueId);
        if (position) await this.step(callId, { type: 'announced', playId: effect.playId, ...position });
        return true;
      }
      case 'call-back':
        return this.#callBack(callId, effect.wait);
      default:
        return assertNever(effect);
    }
  }

  /** A socket that connected while the offer was being made found no offer to confirm. */
  async #noticeConnected(callId: number, agentId: number): Promise<void> {
    if ((await this.#deps.db.agentConnection.count({ where: { agentId } })) > 0)
      await this.step(callId, { type: 'agent-back', agentId });
  }

  async #callBack(callId: number, wait: QueueWait): Promise<boolean> {
    const { db, nodeId, prices, now, log } = this.#deps;
    const result = await createCallback(db, { callId, wait, leaseNodeId: nodeId, prices }, now());
    if (result.kind === 'refused') log.warn({ callId, reason: result.reason }, 'callback refused');
    if (result.kind === 'created') this.run(result.pending);
    return result.kind !== 'later';
  }
}
