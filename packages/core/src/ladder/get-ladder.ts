/** The SIP ladder of a call, or of a refused INVITE, in the requested format. */
import { notFound } from '@clarion/protocol';
import { LADDER_MESSAGE_CHARS, LADDER_MESSAGES_PER_LEG } from '@clarion/protocol/ladder';
import { maskSdp } from '@clarion/protocol/mask-sdp';
import { FileAnswer } from '@clarion/protocol/v1/file-answer';
import { PCAP, TEXT } from '@clarion/protocol/v1/call/ladder';
import type {
  CallLadderResource,
  LadderFormat,
  LadderResource,
  RefusalLadderResource,
} from '@clarion/protocol/v1/call/ladder';
import { callOf } from '../call-record/call-of.ts';
import type { Ctx } from '../context.ts';
import { buildLadder, presentLadder } from '../ladder-view/build-ladder.ts';
import type { Ladder, LadderSource, StoredPart } from '../ladder-view/build-ladder.ts';
import { ladderPcap } from '../ladder-view/ladder-pcap.ts';
import { ladderText } from '../ladder-view/ladder-text.ts';
import { ownTrunkOf } from './own-trunk-of.ts';
import { readPart } from './read-part.ts';

/** @throws not_found also until the ladder of an ended call is stored */
export async function getCallLadder(
  ctx: Ctx,
  callId: number,
  format: LadderFormat,
): Promise<{ ladder: CallLadderResource } | FileAnswer> {
  const { status } = await callOf(ctx, callId);
  const { db } = ctx;
  // A callback's caller has hung up before the call is over.
  if (status !== 'TERMINATED' && status !== 'FAILED') throw notFound('The SIP ladder of the call');
  const rows = await db.callLadder.findMany({ where: { callId }, orderBy: { startedAt: 'asc' } });
  if (rows.length === 0) throw notFound('The SIP ladder of the call');
  const parts = rows.map(({ startedAt, data }) => ({ startedAt, part: readPart(data) }));
  const [webhooks, events, monitors] = await Promise.all([
    webhooksOf(ctx, callId),
    db.callLifecycle.findMany({ where: { callId }, orderBy: { id: 'asc' } }),
    db.callParticipant.findMany({ where: { callId, legId: { not: null } } }),
  ]);
  const agents = await agentNames(ctx, parts, [...events, ...monitors]);
  const ladder = buildLadder({
    parts,
    webhooks,
    events: events.map(({ type, occurredAt, agentId, metadata }) => ({
      type,
      at: occurredAt,
      agentId,
      metadata: isRecord(metadata) ? metadata : {},
    })),
    agents,
    supervisors: new Map(
      monitors.flatMap(({ legId, listenerName, agentId, agentRef }) => {
        const name = (agentId === null ? listenerName : agents.get(agentId)) ?? agentRef;
        return legId === null || name === null ? [] : [[legId, name] as const];
      }),
    ),
  });
  return inFormat(format, ladder, `call-${callId}`, `SIP ladder of call ${callId}`, (resource) => ({
    callId,
    ...resource,
  }));
}

/** @throws not_found unless the refusal is among the newest of one of the account's own trunks */
export async function getRefusalLadder(
  ctx: Ctx,
  { trunkId, refusalId }: { trunkId: number; refusalId: number },
  format: LadderFormat,
): Promise<{ ladder: RefusalLadderResource } | FileAnswer> {
  const trunk = await ownTrunkOf(ctx, trunkId);
  const row = await ctx.db.sipRefusal.findFirst({ where: { id: refusalId, trunkId: trunk.id } });
  if (!row?.ladder) throw notFound('The SIP ladder of the refused call');
  const part = { startedAt: row.ladderStartedAt ?? row.at, part: readPart(row.ladder) };
  const ladder = buildLadder({
    parts: [part],
    webhooks: [],
    events: [],
    agents: new Map(),
    supervisors: new Map(),
  });
  const title = `SIP ladder of a refused call (${row.status}: ${row.reason})`;
  return inFormat(format, ladder, `refusal-${refusalId}`, title, (resource) => ({ refusalId, ...resource }));
}

function inFormat<R>(
  format: LadderFormat,
  ladder: Ladder,
  name: string,
  title: string,
  present: (resource: LadderResource) => R,
): { ladder: R } | FileAnswer {
  if (format === 'text')
    return new FileAnswer({
      contentType: TEXT,
      fileName: `${name}-ladder.txt`,
      content: ladderText(title, ladder),
    });
  if (format === 'pcap')
    return new FileAnswer({ contentType: PCAP, fileName: `${name}.pcap`, content: ladderPcap(ladder) });
  return { ladder: present(presentLadder(ladder)) };
}

/** Meta's webhooks are stored as they were read, for as long as ladders are. */
async function webhooksOf({ db }: Ctx, callId: number): Promise<LadderSource['webhooks']> {
  const call = await db.whatsAppCall.findUnique({ where: { callId } });
  if (!call?.whatsAppCallId) return [];
  const { channelId, whatsAppCallId } = call;
  const rows = await db.whatsAppEvent.findMany({
    where: { channelId, whatsAppCallId },
    orderBy: { id: 'asc' },
    take: LADDER_MESSAGES_PER_LEG,
  });
  return rows.map(({ receivedAt, payload }) => {
    const { event = null, status = null } = isRecord(payload) ? payload : {};
    const title = [event, status].filter((part) => typeof part === 'string').join(' ');
    return { at: receivedAt, title: `Webhook: ${title.toLowerCase()}`, text: withMaskedSdp(payload) };
  });
}

const withMaskedSdp = (payload: unknown): string =>
  JSON.stringify(
    payload,
    (key, value: unknown) => (key === 'sdp' && typeof value === 'string' ? maskSdp(value) : value),
    2,
  ).slice(0, LADDER_MESSAGE_CHARS);

async function agentNames(
  { db }: Ctx,
  parts: readonly StoredPart[],
  about: readonly { agentId: number | null; metadata?: unknown }[],
): Promise<Map<number, string>> {
  const ids = [
    ...parts.flatMap(({ part }) => part.legs.map(({ agentId }) => agentId)),
    ...about.flatMap(({ agentId, metadata }) => [agentId, isRecord(metadata) ? metadata.toAgentId : null]),
  ].filter((id) => typeof id === 'number');
  const agents = await db.agent.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  return new Map(agents.map(({ id, name }) => [id, name]));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
