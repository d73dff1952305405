/**
 * A media node has (re)connected and handed over its legs. Legs of calls that are not live are released; live calls that miss a
 * leg here get a moment, since the fact of its end may be on its way, and are then given up.
 */
import type { LegSummary } from '@clarion/protocol/media';
import { parseState } from '@clarion/core/call/engine/stored';
import type { CallState } from '@clarion/core/call/state';
import type { MediaContext } from './namespace.ts';

/** Media repeats unacked facts at once after connecting; this is long enough for all of them. */
const SETTLE_MS = 3_000;

export class Reconciler {
  readonly #context: MediaContext;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(context: MediaContext) {
    this.#context = context;
  }

  async take(nodeId: string, legs: LegSummary[]): Promise<void> {
    const { deps, nodes } = this.#context;
    nodes.setLegs(nodeId, legs.length);
    // Before its first INVITE, so that no node takes it for lost until our next heartbeat.
    const seenAt = deps.now();
    await deps.db.mediaNode.upsert({
      where: { id: nodeId },
      create: { id: nodeId, seenAt },
      update: { seenAt },
    });
    const callIds = [...new Set(legs.map(({ callId }) => callId))];
    const live = await deps.db.liveCall.findMany({
      where: { callId: { in: callIds } },
      select: { callId: true },
    });
    const known = new Set(live.map(({ callId }) => callId));
    for (const callId of callIds) {
      if (!known.has(callId)) void nodes.send(nodeId, 'call:release', { callId });
    }
    const missing = await this.#missing(nodeId, new Set(legs.map(({ legId }) => legId)));
    if (missing.length === 0) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      for (const lost of missing) void this.#giveUp(nodeId, lost);
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
      const legId = carrierLegOf(parseState(state));
      return legId === null || there.has(legId) ? [] : [{ callId, legId }];
    });
  }

  async #giveUp(nodeId: string, { callId, legId }: { callId: number; legId: string }): Promise<void> {
    const { deps, engine, nodes } = this.#context;
    try {
      // The list may be older than the call. A route of revision 0 changes nothing and tells whether media has it.
      const asked = await nodes.send(nodeId, 'call:route', { callId, revision: 0, route: {} });
      if (asked.kind !== 'refused' || asked.code !== 'unknown_leg') return;
      const row = await deps.db.liveCall.findUnique({ where: { callId }, select: { state: true } });
      if (!row || carrierLegOf(parseState(row.state)) !== legId) return;
      deps.log.warn({ callId, legId, mediaNodeId: nodeId }, 'media node reconnected without the call');
      await engine.step(callId, { type: 'media-lost', mediaNodeId: nodeId });
    } catch (error) {
      deps.log.error({ err: error, callId }, 'failed to end a lost call');
    }
  }
}

/** The customer's leg that media must have; null while it is not certain to exist. A lost agent leg has its own grace. */
function carrierLegOf(state: CallState): string | null {
  switch (state.phase) {
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
      return null;
  }
}
