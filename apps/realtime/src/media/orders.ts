/** A stored order becomes a command: what the order must not keep (a trunk's password) is looked up when it is sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MediaOrder, OutsideEffect } from '@clarion/core/call/effects';
import { assertNever } from '@clarion/core/call/outcome';
import { trunkQuirks } from '@clarion/protocol';
import type { MediaCommandPayload, TrunkTarget } from '@clarion/protocol/media';
import type { Deps } from '../deps.ts';
import type { MediaNodes, SendResult } from './nodes.ts';

/** done: taken, or nothing left to take it. refused: it never will be. unreachable: try again. */
export type OrderResult = { kind: 'done' } | { kind: 'refused'; message: string } | { kind: 'unreachable' };

/** @param recordingKey of `recordingKeyFor`: a route says it with what is recorded */
export async function sendOrder(
  deps: Deps,
  nodes: MediaNodes,
  callId: number,
  nodeId: string,
  order: MediaOrder,
  recordingKey: string | null,
): Promise<OrderResult> {
  if (!nodes.isConnected(nodeId)) return { kind: 'unreachable' };
  switch (order.command) {
    case 'carrier:dial': {
      const payload = await dialPayload(deps, callId, order);
      if (!payload) return { kind: 'refused', message: 'The trunk no longer exists.' };
      return resultOf(await nodes.send(nodeId, 'carrier:dial', payload));
    }
    case 'carrier:answer':
      return answerCarrier(nodes, nodeId, { callId, legId: order.legId });
    case 'leg:hangup':
      return resultOf(await nodes.send(nodeId, 'leg:hangup', { callId, legId: order.legId }));
    case 'leg:dtmf':
      return resultOf(
        // Keys may follow `carrier:dial` at once.
        await onceLegExists(() =>
          nodes.send(nodeId, 'leg:dtmf', { callId, legId: order.legId, digits: order.digits }),
        ),
      );
    case 'call:route':
      return resultOf(
        await nodes.send(nodeId, 'call:route', {
          callId,
          revision: order.revision,
          route: order.route,
          record:
            order.record && recordingKey !== null ? { ...order.record, storageKey: recordingKey } : null,
        }),
      );
    case 'call:release':
      return resultOf(
        await nodes.send(nodeId, 'call:release', {
          callId,
          ...(order.status !== undefined && { status: order.status }),
        }),
      );
    default:
      return assertNever(order);
  }
}

/**
 * Where the recording lies that these effects tell media of. Looked up before any of them is sent: a route that waited for it
 * would be overtaken by the hang-ups that come after it.
 *
 * @returns null also where the recording is gone already: its call was deleted or its customer erased
 */
export async function recordingKeyFor(
  { db }: Pick<Deps, 'db'>,
  callId: number,
  effects: readonly OutsideEffect[],
): Promise<string | null> {
  const isTold = effects.some(
    (effect) => effect.kind === 'media' && effect.order.command === 'call:route' && effect.order.record,
  );
  if (!isTold) return null;
  const recording = await db.recording.findUnique({ where: { callId }, select: { storageKey: true } });
  return recording?.storageKey ?? null;
}

function resultOf(result: SendResult<object>): OrderResult {
  if (result.kind === 'ok') return { kind: 'done' };
  if (result.kind === 'unreachable') return { kind: 'unreachable' };
  // The leg is gone or past that point: its own fact says, or has said, what became of it.
  if (result.code === 'unknown_leg' || result.code === 'invalid_state') return { kind: 'done' };
  return { kind: 'refused', message: result.message };
}

/** How long the fact of a leg's end may be on its way when media already says that there is no such leg. */
const FACT_SETTLE_MS = 2_000;

/** Pause before media is told again about a leg that it may be about to have. */
const LEG_SETTLE_MS = 50;

/** Media may still be making the leg: it is told again until it knows it, or would have. */
async function onceLegExists(send: () => Promise<SendResult<object>>): Promise<SendResult<object>> {
  for (let waitedMs = 0; ; waitedMs += LEG_SETTLE_MS) {
    const result = await send();
    if (!isUnknownLeg(result) || waitedMs >= FACT_SETTLE_MS) return result;
    await sleep(LEG_SETTLE_MS);
  }
}

const isUnknownLeg = (result: SendResult<object>): boolean =>
  result.kind === 'refused' && result.code === 'unknown_leg';

/**
 * A flow answers as soon as the call is taken. A caller whose leg media does not know after `onceLegExists` cannot be answered: either the
 * end is being reported, or nobody ever will (media gave the INVITE up before our answer reached it). Waiting keeps the true reason.
 */
async function answerCarrier(
  nodes: MediaNodes,
  nodeId: string,
  payload: MediaCommandPayload<'carrier:answer'>,
): Promise<OrderResult> {
  const result = await onceLegExists(() => nodes.send(nodeId, 'carrier:answer', payload));
  return isUnknownLeg(result)
    ? { kind: 'refused', message: 'The caller is no longer connected.' }
    : resultOf(result);
}

async function dialPayload(
  deps: Deps,
  callId: number,
  { legId, dial, ringTimeoutMs }: Extract<MediaOrder, { command: 'carrier:dial' }>,
): Promise<MediaCommandPayload<'carrier:dial'> | null> {
  const trunk = await deps.db.sipTrunk.findUnique({ where: { id: dial.trunkId } });
  if (!trunk || trunk.status !== 'ACTIVE') return null;
  const codecs = trunk.codecs.filter((codec) => codec === 'PCMA' || codec === 'PCMU');
  const target: TrunkTarget = {
    host: trunk.host,
    port: trunk.port,
    transport: trunk.transport,
    username: trunk.username,
    password:
      trunk.passwordSealed === null ? null : deps.secrets.open('trunk-password', trunk.passwordSealed),
    sourceCidrs: trunk.inboundSourceCidrs,
    codecs: codecs.length > 0 ? codecs : ['PCMA', 'PCMU'],
    ownEndpoint: trunkQuirks.parse(trunk.quirks).noHeaderExtensions ?? false,
  };
  const { called, caller, callerName } = dial;
  return { callId, legId, trunk: target, called, caller, callerName, ringTimeoutMs };
}
