/** A tenant's agents for the live board, from the current rows. */
import { Prisma } from '@clarion/db';
import type { Agent, Tx } from '@clarion/db';
import type { BoardAgent, BoardAgentState } from '@clarion/protocol/socket';
import { canBeWoken } from '../agent/reachable.ts';
import { parseState } from './stored.ts';
import { offersOf } from '../call-machine/state.ts';

interface Row extends Pick<
  Agent,
  | 'id'
  | 'ref'
  | 'name'
  | 'role'
  | 'shift'
  | 'doNotDisturb'
  | 'currentCallId'
  | 'onCall'
  | 'idleSince'
  | 'wakeable'
> {
  wrapUpUntil: Date | null;
  /** Connection time of the oldest socket. Null: not connected. */
  connectedAt: Date | null;
  /** When the agent joined the current call. Null unless `onCall`. */
  joinedAt: Date | null;
  queueIds: number[];
}

export async function boardAgents(db: Tx, tenantId: number, now: Date): Promise<BoardAgent[]> {
  const rows = await db.$queryRaw<Row[]>`
    select a."id", a."ref", a."name", a."role"::text as "role", a."shift"::text as "shift", a."doNotDisturb", a."wakeable",
      a."currentCallId", a."onCall", a."idleSince", a."wrapUpUntil",
      (select min(c."connectedAt") from "AgentConnection" c where c."agentId" = a."id") as "connectedAt",
      case when a."onCall" then (
        select max(p."joinedAt") from "CallParticipant" p
        where p."callId" = a."currentCallId" and p."agentId" = a."id" and p."kind" = 'AGENT' and p."leftAt" is null
      ) end as "joinedAt",
      array(select m."queueId" from "QueueMember" m where m."agentId" = a."id" order by m."queueId") as "queueIds"
    from "Agent" a where a."tenantId" = ${tenantId} and a."deletedAt" is null order by a."id"`;
  const ringing = rows.flatMap(({ currentCallId, onCall }) =>
    currentCallId === null || onCall ? [] : [currentCallId],
  );
  const offers = await offeredAt(db, ringing);
  return rows.map((row) => {
    const state = stateOf(row, now);
    return {
      agentId: row.id,
      agentRef: row.ref,
      name: row.name,
      role: row.role,
      state,
      connected: row.connectedAt !== null,
      doNotDisturb: row.doNotDisturb,
      since: sinceOf(row, state, offers)?.toISOString() ?? null,
      until: state === 'WRAP_UP' ? (row.wrapUpUntil?.toISOString() ?? null) : null,
      callId: row.currentCallId,
      queueIds: row.queueIds,
    };
  });
}

/** An agent who can be rung, is AVAILABLE and not ringing is idle, unless they are in wrap-up. */
function stateOf(row: Row, now: Date): BoardAgentState {
  const { currentCallId, onCall, shift, connectedAt, wrapUpUntil } = row;
  if (currentCallId !== null) return onCall ? 'ON_CALL' : 'RINGING';
  if (shift === 'OFFLINE' || (connectedAt === null && !canBeWoken(row))) return 'OFFLINE';
  return wrapUpUntil !== null && wrapUpUntil > now ? 'WRAP_UP' : 'AVAILABLE';
}

function sinceOf(row: Row, state: BoardAgentState, offers: ReadonlyMap<number, Date>): Date | null {
  switch (state) {
    case 'ON_CALL':
      return row.joinedAt;
    case 'RINGING':
      return offers.get(row.id) ?? null;
    case 'AVAILABLE':
      return row.connectedAt && row.connectedAt > row.idleSince ? row.connectedAt : row.idleSince;
    // The idle time starts at the end of the wrap-up, so its beginning is not known.
    case 'WRAP_UP':
      return null;
    // The time at which the last socket of an agent on shift disconnected is not stored.
    case 'OFFLINE':
      return row.shift === 'OFFLINE' ? row.idleSince : null;
  }
}

/** Agent ID → when the call started to ring the agent. */
async function offeredAt(db: Tx, callIds: number[]): Promise<Map<number, Date>> {
  if (callIds.length === 0) return new Map();
  const rows = await db.$queryRaw<{ state: unknown }[]>`
    select "state" from "LiveCall" where "callId" in (${Prisma.join([...new Set(callIds)])})`;
  return new Map(
    rows
      .flatMap(({ state }) => offersOf(parseState(state)))
      .map((offer) => [offer.agentId, new Date(offer.offeredAt)]),
  );
}
