/**
 * Reconciles calls with the legs that a media node lists when it connects. Legs of calls that are not live are released. Live calls whose
 * leg is missing are ended after a delay, because the fact of the leg's end may be in transit.
 */
import { forwardedIdOf } from '@clarion/protocol/media';
import type { LegSummary } from '@clarion/protocol/media';
import type { CallState } from '@clarion/core/call-machine/state';
import type { MediaContext } from './context.ts';
import { readState } from './read-state.ts';

/** Media repeats unacknowledged facts immediately after connecting; this is long enough for all of them. */
const SETTLE_MS = 3_000;

export class Reconciler {
  readonly #context: MediaContext;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(context: MediaContext) {
    this.#context = context;
  }

  async reconcile(nodeId: string, legs: LegSummary[]): Promise<void> {
    const { deps, nodes } = this.#context;
    nodes.setLoad(nodeId, { legs: legs.length });
    // Before its first INVITE, so that no node declares it lost before this node's next heartbeat.
    const seenAt = deps.now();
    await deps.db.mediaNode.upsert({
      where: { id: nodeId },
      create: { id: nodeId, seenAt },
      update: { seenAt },
    });
    await this.#context.forwards.reconcile(nodeId, legs);
    const callIds = [...new Set(legs.map(({ callId }) => callId))].filter((id) => forwardedIdOf(id) === null);
    const live = await deps.db.liveCall.findMany({
      where: { callId: { in: callIds } },
      select: { callId: true },
    });
    const known = new Set(live.map(({ callId }) => callId));
    for (const callId of callIds) {
      if (!known.has(callId)) void nodes.send(nodeId, 'call:release', { callId });
    }
    this.checkLater(nodeId, await this.#missing(nodeId, new Set(legs.map(({ legId }) => legId))));
  }

  /** Ends those of the calls that the media node still does not have after the delay. */
  checkLater(nodeId: string, missing: { callId: number; legId: string }[]): void {
    if (missing.length === 0) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      for (const lost of missing) void this.#endLost(nodeId, lost);
    }, SETTLE_MS);
    this.#timers.add(timer);
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #missing(nodeId: string, there: Set<string>): Promise<{ callId: number; legId: string }[]> {
    const rows = await this.#context.deps.db.liveCall.findMany({
      where: { mediaNodeId: nodeId },
      select: { callId: true, state: true },
    });
    return rows.flatMap(({ callId, state }) => {
      const legId = carrierLegOf(readState(state));
      return legId === null || there.has(legId) ? [] : [{ callId, legId }];
    });
  }

  async #endLost(nodeId: string, { callId, legId }: { callId: number; legId: string }): Promise<void> {
    const { deps, engine, nodes } = this.#context;
    try {
      // The list may be older than the call. A route of revision 0 changes nothing and shows whether media has the call.
      const result = await nodes.send(nodeId, 'call:route', { callId, revision: 0, route: {} });
      if (result.kind !== 'refused' || result.code !== 'unknown_leg') return;
      const row = await deps.db.liveCall.findUnique({ where: { callId }, select: { state: true } });
      if (!row || carrierLegOf(readState(row.state)) !== legId) return;
      deps.log.warn({ callId, legId, mediaNodeId: nodeId }, 'media node reconnected without the call');
      await engine.step(callId, { type: 'media-lost', mediaNodeId: nodeId });
    } catch (error) {
      deps.log.error({ err: error, callId }, 'failed to end a lost call');
    }
  }
}

/** The customer's leg that media must have; null while it may not exist. A lost agent leg has its own grace period. */
function carrierLegOf(state: CallState | null): string | null {
  switch (state?.phase) {
    case 'arriving':
    case 'awaiting-owner':
    case 'ivr':
    case 'answering':
    case 'waiting':
    case 'offering':
    case 'connecting':
    case 'talking':
      return state.carrierLegId;
    case 'dialing':
      return state.progress === 'ringing' ? state.carrierLegId : null;
    case 'intent':
    case 'callback':
    case 'ended':
    case undefined:
      return null;
  }
}
