/** Live calls for the live board, from the current rows. */
import type { Agent, Channel, Tx } from '@clarion/db';
import type { BoardCall } from '@clarion/protocol/socket';
import { parseState } from './stored.ts';
import { presentCustomer } from '../call-record/present.ts';
import { agentSideOf, recordingOf, waitOf } from '../call-machine/state.ts';
import type { CallState, LiveState } from '../call-machine/state.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';

type Named = Pick<Agent, 'id' | 'ref' | 'name'>;

/** Where the names on a board come from: the rows, or a cache of them. An ID without a row is omitted. */
export interface BoardNames {
  agents(ids: number[]): Promise<Named[]>;
  queues(ids: number[]): Promise<Named[]>;
  channels(ids: number[]): Promise<Pick<Channel, 'id' | 'displayName'>[]>;
}

const namesIn = (db: Tx): BoardNames => ({
  agents: (ids) =>
    db.agent.findMany({ where: { id: { in: ids } }, select: { id: true, ref: true, name: true } }),
  queues: (ids) =>
    db.queue.findMany({ where: { id: { in: ids } }, select: { id: true, ref: true, name: true } }),
  channels: (ids) =>
    db.channel.findMany({ where: { id: { in: ids } }, select: { id: true, displayName: true } }),
});

/**
 * All live calls of the tenant, or those named; calls that are not live are omitted. So are outbound intents, because nothing happens in
 * them yet.
 */
export async function boardCalls(
  db: Tx,
  tenantId: number,
  callIds?: number[],
  names: BoardNames = namesIn(db),
): Promise<BoardCall[]> {
  const rows = await db.liveCall.findMany({
    where: { tenantId, ...(callIds && { callId: { in: callIds } }) },
    orderBy: { callId: 'asc' },
    select: { callId: true, state: true, version: true, call: { select: callColumns } },
  });
  const calls = rows.flatMap((row) => {
    const state = parseState(row.state);
    return isShown(state) ? [{ ...row, state }] : [];
  });
  const [agents, queues, channels] = await Promise.all([
    names.agents(present(calls.map(({ state }) => agentIdOf(state)))),
    names.queues(present(calls.map(({ state }) => shownQueueOf(state)?.queueId))),
    names.channels(present(calls.map(({ call }) => call.channelId))),
  ]);
  return calls.map(({ callId, state, version, call }) => {
    const agent = agents.find(({ id }) => id === agentIdOf(state));
    const queue = queues.find(({ id }) => id === shownQueueOf(state)?.queueId);
    const channel = channels.find(({ id }) => id === call.channelId);
    const wait = state.phase === 'talking' ? null : waitOf(state);
    return {
      callId,
      direction: call.direction,
      state: boardStateOf(state),
      customer: boardCustomer(call),
      channelRef: call.channelRef,
      channelType: call.channelType,
      channelName: channel?.displayName ?? null,
      queue: queue ? { queueId: queue.id, ref: queue.ref, name: queue.name } : null,
      agent: agent ? { agentId: agent.id, agentRef: agent.ref, name: agent.name } : null,
      held: state.phase === 'talking' && state.held,
      recording: recordingOf(state),
      monitors: state.phase === 'talking' ? listeners(state.monitors) : [],
      createdAt: call.createdAt.toISOString(),
      waitingSince: wait ? new Date(wait.since).toISOString() : null,
      answeredAt: call.answeredAt?.toISOString() ?? null,
      version,
    };
  });
}

const callColumns = {
  direction: true,
  customerAddress: true,
  customerAddressType: true,
  customerWithheld: true,
  customerName: true,
  channelRef: true,
  channelType: true,
  channelId: true,
  createdAt: true,
  answeredAt: true,
} as const;

function boardCustomer(call: Parameters<typeof presentCustomer>[0]): BoardCall['customer'] {
  const { address, addressWithheld, name } = presentCustomer(call);
  return { address, addressWithheld, name };
}

type Shown = Exclude<LiveState, { phase: 'intent' }>;
const isShown = (state: CallState): state is Shown => state.phase !== 'intent' && state.phase !== 'ended';

function boardStateOf(state: Shown): BoardCall['state'] {
  switch (state.phase) {
    case 'arriving':
    case 'awaiting-owner':
    case 'ivr':
    case 'answering':
    case 'waiting':
      return 'waiting';
    case 'callback':
      return state.offers.length === 0 ? 'waiting' : 'ringing';
    case 'offering':
    case 'connecting':
    case 'dialing':
      return 'ringing';
    case 'talking':
      return 'active';
  }
}

/** The agent who has the call, or the only one whom it rings; null while it rings several. */
function agentIdOf(state: Shown): number | null {
  const side = agentSideOf(state);
  if (side) return side.agentId;
  const [offer, ...others] = 'offers' in state ? state.offers : [];
  return offer && others.length === 0 ? offer.agentId : null;
}

/** The queue in which the call waits, or through which the agent received it. */
function shownQueueOf(state: Shown): OverflowHop | null {
  if (state.phase === 'answering' || state.phase === 'connecting') return state.wait?.stops[0] ?? null;
  if (state.phase === 'talking' || state.phase === 'dialing') return state.queue;
  return waitOf(state)?.stops[0] ?? null;
}

const listeners = (
  monitors: { name: string; mode: BoardCall['monitors'][number]['mode']; connected: boolean }[],
) => monitors.filter(({ connected }) => connected).map(({ name, mode }) => ({ name, mode }));

const present = (ids: (number | null | undefined)[]): number[] => [
  ...new Set(ids.filter((id) => id !== null && id !== undefined)),
];
