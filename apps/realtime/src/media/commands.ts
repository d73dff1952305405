/** Sends stored commands to media nodes. What must not be stored (a trunk's password) is read when the command is sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallMediaCommand, OutsideEffect } from '@clarion/core/call-machine/effects';
import { assertNever } from '@clarion/core/call-machine/outcome';
import { isWhatsAppPlan } from '@clarion/core/call-machine/state';
import { failures } from '@clarion/protocol';
import type { FailureCode } from '@clarion/protocol';
import type { MediaCommandPayload } from '@clarion/protocol/media';
import type { Deps } from '../deps.ts';
import type { MediaNodes, SendResult } from './nodes.ts';
import { trunkTarget } from './trunk-target.ts';

/** done: accepted, or its leg is gone. refused: permanently; `reason` absent: the service failed. unreachable: to be retried. */
export type CommandResult =
  { kind: 'done' } | { kind: 'refused'; message: string; reason?: FailureCode } | { kind: 'unreachable' };

const TRUNK_NOT_DIALLED: CommandResult = {
  kind: 'refused',
  message: failures.trunk_not_dialled.text,
  reason: 'trunk_not_dialled',
};

/** To which node a stored command is sent, and the row of the outbox that contains it. */
export interface StoredTarget {
  callId: number;
  nodeId: string;
  outboxId: bigint;
}

/** @param recordingKey from `recordingKeyFor`: sent with a route that is recorded */
export async function sendMediaCommand(
  deps: Deps,
  nodes: MediaNodes,
  { callId, nodeId, outboxId }: StoredTarget,
  order: CallMediaCommand,
  recordingKey: string | null,
): Promise<CommandResult> {
  if (!nodes.isConnected(nodeId)) return { kind: 'unreachable' };
  switch (order.command) {
    case 'carrier:dial': {
      const payload = await dialPayload(deps, callId, order);
      if (!payload) return TRUNK_NOT_DIALLED;
      return resultOf(await nodes.send(nodeId, 'carrier:dial', payload));
    }
    case 'carrier:answer':
      return answerCarrier(nodes, nodeId, { callId, legId: order.legId });
    case 'leg:hangup':
      return resultOf(await nodes.send(nodeId, 'leg:hangup', { callId, legId: order.legId }));
    case 'leg:dtmf':
      return resultOf(
        // Digits may follow `carrier:dial` immediately. A step sends digits once at most, so its row identifies them.
        await onceLegExists(() =>
          nodes.send(nodeId, 'leg:dtmf', {
            callId,
            legId: order.legId,
            digits: order.digits,
            id: String(outboxId),
          }),
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
    case 'whatsapp:remote':
      return resultOf(
        await nodes.send(nodeId, 'whatsapp:remote', {
          callId,
          legId: order.legId,
          sdpAnswer: order.sdpAnswer,
        }),
      );
    case 'whatsapp:open':
      return resultOf(await nodes.send(nodeId, 'whatsapp:open', { callId, legId: order.legId }));
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
 * The storage key of the recording that these effects start. It is read before any of them is sent: later hang-ups would overtake a
 * route that waited for it.
 *
 * @returns null also if the recording is gone already: its call was deleted or its customer erased
 */
export async function recordingKeyFor(
  { db }: Pick<Deps, 'db'>,
  callId: number,
  effects: readonly OutsideEffect[],
): Promise<string | null> {
  const isRecorded = effects.some(
    (effect) => effect.kind === 'media' && effect.order.command === 'call:route' && effect.order.record,
  );
  if (!isRecorded) return null;
  const recording = await db.recording.findUnique({ where: { callId }, select: { storageKey: true } });
  return recording?.storageKey ?? null;
}

export function resultOf(result: SendResult<object>): CommandResult {
  if (result.kind === 'ok') return { kind: 'done' };
  if (result.kind === 'unreachable') return { kind: 'unreachable' };
  // The leg is gone or past that point: its own fact reports what happened.
  if (result.code === 'unknown_leg' || result.code === 'invalid_state') return { kind: 'done' };
  return { kind: 'refused', message: result.message };
}

/** How long the fact of a leg's end may be in transit after media reports that the leg is unknown. */
const FACT_SETTLE_MS = 2_000;

/** Pause before a command is repeated for a leg that media may be about to create. */
const LEG_SETTLE_MS = 50;

/** Media may still be creating the leg: the command is repeated until the leg exists or should exist. */
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
 * A flow answers as soon as the call is accepted. If media does not know the caller's leg after `onceLegExists`, it cannot be answered:
 * its end is being reported, or will never be, because media gave up the INVITE before our decision arrived. Waiting keeps the real
 * reason in the first case.
 */
export async function answerCarrier(
  nodes: MediaNodes,
  nodeId: string,
  payload: MediaCommandPayload<'carrier:answer'>,
): Promise<CommandResult> {
  const result = await onceLegExists(() => nodes.send(nodeId, 'carrier:answer', payload));
  return isUnknownLeg(result)
    ? { kind: 'refused', message: 'The caller is no longer connected.' }
    : resultOf(result);
}

async function dialPayload(
  deps: Deps,
  callId: number,
  { legId, dial, ringTimeoutMs }: Extract<CallMediaCommand, { command: 'carrier:dial' }>,
): Promise<MediaCommandPayload<'carrier:dial'> | null> {
  if (isWhatsAppPlan(dial)) return null;
  const planned = [dial, ...(dial.backup ? [dial.backup] : [])];
  const trunks = await deps.db.sipTrunk.findMany({
    where: { id: { in: planned.map(({ trunkId }) => trunkId) }, status: 'ACTIVE' },
  });
  const attempts = planned.flatMap(({ trunkId, called, caller }) => {
    const trunk = trunks.find(({ id }) => id === trunkId);
    const { callerName } = dial;
    return trunk ? [{ trunk: trunkTarget(trunk, deps.secrets), called, caller, callerName }] : [];
  });
  return attempts.length === 0 ? null : { callId, legId, attempts, ringTimeoutMs };
}
