/**
 * Whether an INVITE becomes a call, and where it goes (design sections 6 and 10). A refusal reveals nothing to the caller; its reason
 * in words is for the trunk's diagnostics.
 */
import { failureDetails, storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { NumberRules, TechPrefixes, TerminationReason, Terminator } from '@clarion/protocol';
import { numberRules, techPrefixes, trunkQuirks } from '@clarion/protocol';
import type { InviteAnswer, InviteQuestion } from '@clarion/protocol/media';
import { Prisma } from '@clarion/db';
import type { Call, Database, SipTrunk, Tx } from '@clarion/db';
import ipaddr from 'ipaddr.js';
import { readCalled, readCaller } from '../../numbers/trunk-numbers.ts';
import type { QueueStop } from '../state.ts';
import { DEFAULT_RING_TIMEOUT_SECONDS } from '../timing.ts';
import { createInboundCall, refusalOf } from './begin.ts';
import type { LineRoute } from './begin.ts';
import type { Pending } from './commit.ts';
import { mediaPathOf } from './media-path.ts';

export interface Refusal {
  /** Null: no trunk has this source. */
  trunkId: number | null;
  status: number;
  /** For people: what was wrong. */
  reason: string;
}

export interface Admission {
  answer: InviteAnswer;
  /** To be kept for the diagnostics; null when the call was taken or the question was asked before. */
  refusal: Refusal | null;
  pending: Pending | null;
}

interface AdmitContext {
  db: Database;
  ingressDomain: string | null;
  /** The realtime node that was asked. */
  nodeId: string;
}

/** SIP reason phrases towards strangers and carriers: RFC 3261's own words, never ours. */
const PLAIN_PHRASES: Record<number, string> = {
  403: 'Forbidden',
  404: 'Not Found',
  480: 'Temporarily Unavailable',
  486: 'Busy Here',
  503: 'Service Unavailable',
  603: 'Decline',
};

/** Overflow chains longer than this are cut: nobody waits through so many queues. */
const MAX_QUEUE_STOPS = 20;
const TRANSACTION_LIMITS = { maxWait: 5_000, timeout: 15_000 };

/** Answers a media node. Asked twice with one inviteId, it answers the same. */
export async function admitInvite(
  context: AdmitContext,
  question: InviteQuestion,
  now: Date,
): Promise<Admission> {
  const known = await alreadyTaken(context.db, question.inviteId);
  if (known) return known;
  const found = await findLine(context, question);
  if ('reason' in found) return refused(found);
  const { trunk, called } = found;
  const channel = await loadChannel(context.db, trunk.id, called);
  if (!channel)
    return refused({ trunkId: trunk.id, status: 404, reason: `No line has the number ${called}.` });
  const { tenant } = channel;
  if (tenant.consumer.status === 'SUSPENDED') {
    return refused({ trunkId: trunk.id, status: 403, reason: 'The account is suspended.' });
  }
  const live = await context.db.liveCall.count({ where: { consumerId: tenant.consumerId } });
  if (live >= tenant.consumer.planCallsAtOnce) {
    return refused({ trunkId: trunk.id, status: 503, reason: "The plan's calls at once are all in use." });
  }
  const settings = tenantSettingsWithDefaults(storedTenantSettings.parse(tenant.settings));
  const personal = channel.ownerAgentId !== null;
  const caller = readCaller(question.assertedUser, question.fromUser, rulesOf(trunk));
  try {
    const begun = await context.db.$transaction(
      async (tx) =>
        createInboundCall(
          tx,
          {
            consumerId: tenant.consumerId,
            tenantId: tenant.id,
            channel: { id: channel.id, ref: channel.ref, type: channel.type },
            sipTrunkId: trunk.id,
            customer: { ...caller, name: question.fromName?.trim().slice(0, 255) || null },
            mediaPath: mediaPathOf(settings, { personal, type: channel.type }, 'INBOUND'),
            inviteId: question.inviteId,
            mediaNodeId: question.mediaNodeId,
            carrierLegId: question.legId,
            queue: channel.inboundQueue && { id: channel.inboundQueue.id, ref: channel.inboundQueue.ref },
            route: await routeOf(tx, channel),
            leaseNodeId: context.nodeId,
          },
          now,
        ),
      TRANSACTION_LIMITS,
    );
    if (!begun.refusal) return { answer: taken(begun.call.id, trunk), refusal: null, pending: begun.pending };
    const { status, reason } = begun.refusal;
    return { ...refused({ trunkId: trunk.id, status, reason: wordsFor(reason) }), pending: begun.pending };
  } catch (error) {
    // Asked of two nodes at once: the other one was faster.
    const theirs = isUniqueViolation(error) ? await alreadyTaken(context.db, question.inviteId) : null;
    if (!theirs) throw error;
    return theirs;
  }
}

const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';

const taken = (callId: number, trunk: SipTrunk): InviteAnswer => ({
  action: 'take',
  callId,
  sourceCidrs: trunk.inboundSourceCidrs,
  ownEndpoint: trunkQuirks.parse(trunk.quirks).noHeaderExtensions ?? false,
});

const plainAnswer = (status: number): InviteAnswer => ({
  action: 'refuse',
  status,
  reason: PLAIN_PHRASES[status] ?? 'Temporarily Unavailable',
});

const refused = (refusal: Refusal): Admission => ({
  answer: plainAnswer(refusal.status),
  refusal,
  pending: null,
});

const sentences: Partial<Record<string, string>> = {
  BUSY: 'The owner of the line is on another call.',
  NO_ANSWER: 'The owner of the line has no connected device or does not want to be disturbed.',
  REJECTED: 'The line has neither a queue nor an owner.',
};
const wordsFor = (reason: string): string => sentences[reason] ?? reason;

async function alreadyTaken(db: Database, inviteId: string): Promise<Admission | null> {
  const call = await db.call.findUnique({ where: { inviteId } });
  if (!call) return null;
  if (call.terminationReason !== null) {
    return { answer: plainAnswer(statusOf(call)), refusal: null, pending: null };
  }
  const trunk =
    call.sipTrunkId === null ? null : await db.sipTrunk.findUnique({ where: { id: call.sipTrunkId } });
  return trunk && { answer: taken(call.id, trunk), refusal: null, pending: null };
}

function statusOf(call: Call): number {
  const details = failureDetails.safeParse(call.failureDetails);
  return refusalOf({
    // Only the engine writes these columns, from the protocol's unions.
    terminationReason: call.terminationReason as TerminationReason,
    terminatedBy: call.terminatedBy as Terminator,
    failureDetails: details.success ? details.data : null,
  }).status;
}

/** The trunk by ingress host, else by source address, and the number that was called on it. */
async function findLine(
  { db, ingressDomain }: AdmitContext,
  question: InviteQuestion,
): Promise<{ trunk: SipTrunk; called: string } | Refusal> {
  const source = ipaddr.isValid(question.source.address)
    ? ipaddr.process(question.source.address).toString()
    : null;
  if (source === null) return { trunkId: null, status: 403, reason: 'The source address cannot be read.' };
  const label = ingressLabel(question.requestHost, ingressDomain);
  if (label !== null) {
    const trunk = await db.sipTrunk.findUnique({ where: { ingressLabel: label } });
    if (!trunk)
      return { trunkId: null, status: 403, reason: `No trunk has the ingress host ${question.requestHost}.` };
    if (trunk.status !== 'ACTIVE')
      return { trunkId: trunk.id, status: 403, reason: `The trunk is ${trunk.status}.` };
    if (!allowsSource(trunk, source)) {
      return { trunkId: trunk.id, status: 403, reason: `The source address ${source} is not the trunk's.` };
    }
    const read = calledOn(trunk, question);
    return 'number' in read ? { trunk, called: read.number } : read;
  }
  const trunks = await trunksOfSource(db, source);
  if (trunks.length === 0) {
    return { trunkId: null, status: 403, reason: `No active trunk has the source address ${source}.` };
  }
  return lineAmong(db, trunks, question);
}

/** Trunks may share an address: then the called number decides, by the line that it is (design section 10). */
async function lineAmong(
  db: Database,
  trunks: SipTrunk[],
  question: InviteQuestion,
): Promise<{ trunk: SipTrunk; called: string } | Refusal> {
  let first: Refusal | undefined;
  for (const trunk of trunks) {
    const read = calledOn(trunk, question);
    if (!('number' in read)) {
      first ??= read;
      continue;
    }
    const line = await db.channel.findUnique({
      where: { sipTrunkId_address: { sipTrunkId: trunk.id, address: read.number } },
      select: { id: true },
    });
    if (line) return { trunk, called: read.number };
    first ??= { trunkId: trunk.id, status: 404, reason: `No line has the number ${read.number}.` };
  }
  return first ?? { trunkId: null, status: 404, reason: 'No line has this number.' };
}

function ingressLabel(host: string, domain: string | null): string | null {
  if (!domain) return null;
  const name = host.toLowerCase().replace(/\.$/, '');
  const suffix = `.${domain.toLowerCase()}`;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : null;
}

/** An active trunk whose addresses, taken as CIDRs, hold the source. */
async function trunksOfSource(db: Database, source: string): Promise<SipTrunk[]> {
  const active = await db.$queryRaw<{ id: number }[]>`
    select "id" from "SipTrunk" where "status" = 'ACTIVE'
    and exists (select from unnest("inboundSourceCidrs") as cidr where ${source}::inet <<= cidr::inet)`;
  return db.sipTrunk.findMany({ where: { id: { in: active.map(({ id }) => id) } }, orderBy: { id: 'asc' } });
}

function allowsSource(trunk: SipTrunk, source: string): boolean {
  const address = ipaddr.process(source);
  return trunk.inboundSourceCidrs.some((cidr) => {
    const [network, bits] = cidr.includes('/') ? ipaddr.parseCIDR(cidr) : [ipaddr.parse(cidr), null];
    if (network.kind() !== address.kind()) return false;
    return address.match(network, bits ?? (network.kind() === 'ipv4' ? 32 : 128));
  });
}

const rulesOf = (trunk: SipTrunk): NumberRules | null => numberRules.nullable().parse(trunk.numberRules);
const prefixesOf = (trunk: SipTrunk): TechPrefixes | null =>
  techPrefixes.nullable().parse(trunk.techPrefixes);

function calledOn(trunk: SipTrunk, question: InviteQuestion): { number: string } | Refusal {
  const users = [question.requestUser, question.toUser, question.divertedUser];
  const read = readCalled(users, { techPrefixes: prefixesOf(trunk), numberRules: rulesOf(trunk) });
  if (!read) {
    return {
      trunkId: trunk.id,
      status: 404,
      reason: `The called number ${question.requestUser} cannot be read.`,
    };
  }
  if (read.prefix && read.prefix.purpose !== 'PROCESS') {
    const what = read.prefix.purpose === 'FORWARD' ? 'forwarding rule' : 'call filter';
    return {
      trunkId: trunk.id,
      status: 404,
      reason: `No ${what} takes calls with the tech prefix ${read.prefix.prefix}.`,
    };
  }
  return { number: read.number };
}

const loadChannel = (db: Database, sipTrunkId: number, address: string) =>
  db.channel.findUnique({
    where: { sipTrunkId_address: { sipTrunkId, address } },
    include: { tenant: { include: { consumer: true } }, inboundQueue: true, ownerAgent: true },
  });
type Line = NonNullable<Awaited<ReturnType<typeof loadChannel>>>;

async function routeOf(tx: Tx, channel: Line): Promise<LineRoute> {
  if (channel.status === 'DISABLED') return { kind: 'disabled' };
  if (channel.inboundQueueId !== null) {
    return { kind: 'queue', stops: await queueStops(tx, channel.inboundQueueId) };
  }
  const owner = channel.ownerAgent;
  if (!owner) return { kind: 'none' };
  const devices = owner.deletedAt ? 0 : await tx.agentConnection.count({ where: { agentId: owner.id } });
  return {
    kind: 'owner',
    agent: { id: owner.id, ref: owner.ref },
    ringTimeoutSeconds: channel.ringTimeoutSeconds ?? DEFAULT_RING_TIMEOUT_SECONDS,
    unreachable: owner.doNotDisturb ? 'do-not-disturb' : devices === 0 ? 'no-device' : null,
  };
}

/** The queue and where it overflows to, each once. */
async function queueStops(tx: Tx, queueId: number): Promise<QueueStop[]> {
  const stops: QueueStop[] = [];
  let next: number | null = queueId;
  while (next !== null && stops.length < MAX_QUEUE_STOPS && !stops.some((stop) => stop.queueId === next)) {
    const queue: Prisma.QueueGetPayload<object> = await tx.queue.findUniqueOrThrow({ where: { id: next } });
    stops.push({
      queueId: queue.id,
      ref: queue.ref,
      ringTimeoutSeconds: queue.ringTimeoutSeconds,
      maxWaitSeconds: queue.maxWaitSeconds,
    });
    next = queue.overflowQueueId;
  }
  return stops;
}

/** Keeps a refusal for the trunk's diagnostics. */
export async function recordRefusal(
  db: Database,
  refusal: Refusal,
  question: InviteQuestion,
  now: Date,
): Promise<void> {
  await db.sipRefusal.create({
    data: {
      trunkId: refusal.trunkId,
      at: now,
      status: refusal.status,
      source: question.source.address,
      number: question.requestUser.slice(0, 191),
      reason: refusal.reason,
    },
  });
}
