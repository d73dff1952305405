/**
 * Where a line routes an inbound call (docs/requirements.md#lines, 3 to 5): a personal line to its owner, any other to a flow or its queue.
 */
import type { Database, Tx } from '@clarion/db';
import type { Flow } from '../ivr/flow-run.ts';
import type { InboundRoute } from '../call-machine/arrival.ts';
import type { CalledLine } from '../call-store/load-invite.ts';
import { DEFAULT_RING_TIMEOUT_SECONDS } from '../call-machine/timing.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import { withoutCallbackKey, withoutCallback } from './callback.ts';
import { flowOfLine } from './line-flow.ts';

/** What decides about a call to the line. */
export type InboundLine = Omit<CalledLine, 'newCallId' | 'idleQueue' | 'sipTrunkId' | 'tenant'> & {
  tenant: Omit<CalledLine['tenant'], 'rowVersion'>;
};

/** The route before it is known whether the owner is available, or as of the creation of the call. */
export type LineRoute =
  | Exclude<InboundRoute, { kind: 'owner' | 'flow' | 'disabled' }>
  /** The call of a personal line names its owner, although nobody is rung. */
  | { kind: 'disabled'; agent: { id: number; ref: string } | null }
  | { kind: 'flow'; flow: Flow }
  | {
      kind: 'owner';
      agent: { id: number; ref: string };
      ringTimeoutSeconds: number;
      /** Why the owner cannot be rung at all; null: they may be. */
      unreachable: 'no-device' | 'do-not-disturb' | null;
    };

/** @param callable whether the caller has a number that the account may call */
export async function routeOfLine(
  db: Tx | Database,
  line: InboundLine,
  callable: boolean,
): Promise<LineRoute> {
  const { owner, stops } = line;
  if (line.status === 'DISABLED') {
    return { kind: 'disabled', agent: owner && { id: owner.id, ref: owner.ref } };
  }
  if (owner) {
    return {
      kind: 'owner',
      agent: { id: owner.id, ref: owner.ref },
      ringTimeoutSeconds: line.ringTimeoutSeconds ?? DEFAULT_RING_TIMEOUT_SECONDS,
      unreachable: owner.doNotDisturb ? 'do-not-disturb' : owner.canRing ? null : 'no-device',
    };
  }
  const flow = await flowOfLine(db, line);
  if (flow) return { kind: 'flow', flow: callable ? flow : withoutCallback(flow) };
  if (stops.length === 0) return { kind: 'none' };
  const waitedIn = line.type === 'WHATSAPP' ? stops.map(answering) : stops;
  return { kind: 'queue', stops: callable ? waitedIn : waitedIn.map(withoutCallbackKey) };
}

/** WhatsApp would end the call while it waits, so the queue answers it, whatever its own setting. */
const answering = (stop: OverflowHop): OverflowHop => ({ ...stop, answerWhileWaiting: true });
