/**
 * Forwarded calls: the leg of the caller's carrier and the one that this node dials hear each other. What happens to a leg arrives as a fact,
 * which media repeats until it is processed, so that any node continues a call: every change and every command may be repeated.
 */
import { prefixesOf, rulesOf } from '@clarion/core/call-engine/candidate-trunk';
import type { ForwardedBeginning } from '@clarion/core/call-engine/create-inbound-call';
import { DIAL_RING_MS, DIAL_SLACK_MS } from '@clarion/core/call-machine/timing';
import { forwardEndingOf } from '@clarion/core/forwarding/forward-ending';
import {
  answerForwardedCall,
  endForwardedCall,
  liveForwardedCalls,
} from '@clarion/core/forwarding/forwarded-calls';
import type { ForwardEnding } from '@clarion/core/forwarding/forwarded-calls';
import { forwardedNumbers } from '@clarion/core/forwarding/forwarded-numbers';
import type { ForwardedCall } from '@clarion/db';
import { trunkQuirks } from '@clarion/protocol';
import { forwardedIdOf, mediaCallIdOf } from '@clarion/protocol/media';
import type { LegEnd, LegSummary, MediaCommandPayload } from '@clarion/protocol/media';
import type { Deps } from '../deps.ts';
import { BackgroundWork } from '../lib/background-work.ts';
import { answerCarrier, resultOf } from './commands.ts';
import type { Fact } from './facts.ts';
import type { MediaNodes } from './nodes.ts';
import { trunkTarget } from './trunk-target.ts';

/** A call that still rings was not dialled, because its node died: media reports the end of a leg that is not answered earlier. */
export const FORWARD_RINGS_MAX_MS = DIAL_RING_MS + DIAL_SLACK_MS;
const SERVICE_UNAVAILABLE = 503;

const failed = (reason: string): ForwardEnding => ({
  endedBy: 'SYSTEM',
  reason,
  sipStatus: SERVICE_UNAVAILABLE,
});

export class Forwards {
  readonly #deps: Deps;
  readonly #nodes: MediaNodes;
  readonly #background: BackgroundWork;

  constructor(deps: Deps, nodes: MediaNodes) {
    this.#deps = deps;
    this.#nodes = nodes;
    this.#background = new BackgroundWork(deps.log);
  }

  /** Media has the decision to accept the INVITE. */
  begin({ call, forwarding }: ForwardedBeginning): void {
    this.#background.start('forward a call', { forwardedCallId: call.id }, async () => {
      const failure = await this.#dial(call, forwarding);
      if (failure !== null) await this.#end(call.id, call.mediaNodeId, failed(failure), this.#deps.now());
    });
  }

  async process(nodeId: string, id: number, { fact, payload }: Fact, at: Date): Promise<void> {
    const { db } = this.#deps;
    if (fact === 'leg:ended') return this.legEnded(nodeId, id, payload, at);
    if (fact !== 'leg:connected' && fact !== 'leg:dtmf') return;
    const [call] = await liveForwardedCalls(db, { ids: [id] });
    if (!call) {
      void this.#nodes.send(nodeId, 'call:release', { callId: mediaCallIdOf({ id }) });
    } else if (fact === 'leg:dtmf') {
      // Audio does not carry the digits from one leg to the other.
      const legId = payload.legId === call.inLegId ? call.outLegId : call.inLegId;
      const digit = { digits: payload.digit, id: `${payload.legId} ${payload.at}` };
      void this.#nodes.send(nodeId, 'leg:dtmf', { callId: mediaCallIdOf(call), legId, ...digit });
    } else if (payload.legId === call.outLegId) {
      await this.#answer(nodeId, call, at);
    }
  }

  /** The end of one leg ends the call. */
  async legEnded(
    nodeId: string,
    id: number,
    { legId, end }: { legId: string; end: LegEnd },
    at: Date,
  ): Promise<void> {
    const [call] = await liveForwardedCalls(this.#deps.db, { ids: [id] });
    const leg = call?.outLegId === legId ? 'out' : 'in';
    await this.#end(id, nodeId, forwardEndingOf(leg, end), at);
  }

  /** Ends the calls of a media node that has connected again without the caller's leg, and releases the legs of calls that have ended. */
  async reconcile(nodeId: string, legs: readonly LegSummary[]): Promise<void> {
    const { db, now } = this.#deps;
    const present = new Set(legs.map(({ legId }) => legId));
    const live = await liveForwardedCalls(db, { mediaNodeId: nodeId });
    for (const call of live) {
      if (present.has(call.inLegId)) continue;
      // The decision may be newer than the list, and the end of the leg may be in transit: a route of revision 0 changes nothing.
      const callId = mediaCallIdOf(call);
      const probe = await this.#nodes.send(nodeId, 'call:route', { callId, revision: 0, route: {} });
      if (probe.kind === 'refused' && probe.code === 'unknown_leg')
        await this.#end(call.id, nodeId, failed('The media node lost the call.'), now());
    }
    const liveIds = new Set(live.map(({ id }) => id));
    const ids = new Set(legs.map(({ callId }) => forwardedIdOf(callId)));
    for (const id of ids)
      if (id !== null && !liveIds.has(id))
        void this.#nodes.send(nodeId, 'call:release', { callId: mediaCallIdOf({ id }) });
  }

  /** No realtime node sees the media node, or nobody dials. Ends the call unless the node is connected here and the call was answered. */
  async lost(id: number, mediaNodeId: string): Promise<void> {
    const { db, log, now } = this.#deps;
    const [call] = await liveForwardedCalls(db, { ids: [id] });
    if (!call || (call.state === 'ANSWERED' && this.#nodes.isConnected(mediaNodeId))) return;
    log.warn({ forwardedCallId: id, mediaNodeId }, 'a forwarded call was lost');
    await this.#end(id, mediaNodeId, failed('The call was lost.'), now());
  }

  /** Resolves when the calls that began are dialled. */
  async settled(): Promise<void> {
    await this.#background.settled();
  }

  /** @returns why the call cannot be dialled; null: it is */
  async #dial(call: ForwardedCall, forwarding: ForwardedBeginning['forwarding']): Promise<string | null> {
    const attempt = await this.#attemptFor(forwarding);
    if (!attempt) return 'The trunk is not active.';
    const callId = mediaCallIdOf(call);
    const { inLegId, outLegId, mediaNodeId } = call;
    const legs = { callId, legId: outLegId, attempts: [attempt], ringTimeoutMs: DIAL_RING_MS };
    const dialled = resultOf(await this.#nodes.send(mediaNodeId, 'carrier:dial', legs));
    if (dialled.kind !== 'done')
      return dialled.kind === 'refused' ? dialled.message : 'The media node is not connected.';
    const route = {
      [inLegId]: [{ kind: 'leg' as const, legId: outLegId }],
      [outLegId]: [{ kind: 'leg' as const, legId: inLegId }],
    };
    await this.#nodes.send(mediaNodeId, 'call:route', { callId, revision: 1, route });
    // The call may have ended, and its legs been released, before the second one existed.
    const [live] = await liveForwardedCalls(this.#deps.db, { ids: [call.id] });
    if (!live) await this.#nodes.send(mediaNodeId, 'call:release', { callId });
    return null;
  }

  async #attemptFor({
    toTrunkId,
    maxForwards,
    ...numbers
  }: ForwardedBeginning['forwarding']): Promise<
    MediaCommandPayload<'carrier:dial'>['attempts'][number] | null
  > {
    const { db, secrets } = this.#deps;
    const row = await db.sipTrunk.findFirst({ where: { id: toTrunkId, status: 'ACTIVE' } });
    if (!row) return null;
    const { called, caller, withheld } = forwardedNumbers(numbers, {
      techPrefixes: prefixesOf(row),
      numberRules: rulesOf(row),
      quirks: trunkQuirks.parse(row.quirks),
    });
    const trunk = trunkTarget(row, secrets);
    const identity = withheld
      ? { ...trunk.identity, hideCallerId: true, assertedIdentity: false }
      : trunk.identity;
    return { trunk: { ...trunk, identity }, called, caller, callerName: null, maxForwards };
  }

  async #answer(nodeId: string, call: ForwardedCall, at: Date): Promise<void> {
    const answered = await answerForwardedCall(this.#deps.db, call.id, at);
    if (!answered) return;
    const callId = mediaCallIdOf(call);
    const result = await answerCarrier(this.#nodes, nodeId, { callId, legId: call.inLegId });
    if (result.kind === 'refused') await this.#end(call.id, nodeId, failed(result.message), at);
    // Media repeats the fact.
    if (result.kind === 'unreachable') throw new Error('media did not answer the caller');
  }

  /** A repetition releases the legs again. */
  async #end(id: number, nodeId: string, ending: ForwardEnding, at: Date): Promise<void> {
    const { db, log } = this.#deps;
    const ended = await endForwardedCall(db, id, ending, at);
    if (ended) {
      const { endedBy, sipStatus, reason } = ended;
      log.info({ forwardedCallId: id, endedBy, sipStatus, reason }, 'forwarded call ended');
    }
    const { sipStatus: status } = ending;
    await this.#nodes.send(nodeId, 'call:release', { callId: mediaCallIdOf({ id }), status });
  }
}
