/** Which trunk an INVITE came by, and which number was called on it (design sections 6 and 10). */
import { numberRules, techPrefixes } from '@clarion/protocol';
import type { NumberRules, TechPrefixes } from '@clarion/protocol';
import type { InviteQuestion } from '@clarion/protocol/media';
import type { Database, SipTrunk } from '@clarion/db';
import ipaddr from 'ipaddr.js';
import { readCalled } from '../../numbers/trunk-numbers.ts';

export interface Refusal {
  /** Null: no trunk has this source. */
  trunkId: number | null;
  status: number;
  /** For people: what was wrong. */
  reason: string;
}

/** The trunk by ingress host, else by source address, and the number that was called on it. */
export async function findLine(
  { db, ingressDomain }: { db: Database; ingressDomain: string | null },
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

export const rulesOf = (trunk: SipTrunk): NumberRules | null =>
  numberRules.nullable().parse(trunk.numberRules);
const prefixesOf = (trunk: SipTrunk): TechPrefixes | null =>
  techPrefixes.nullable().parse(trunk.techPrefixes);

function calledOn(trunk: SipTrunk, question: InviteQuestion): { number: string } | Refusal {
  const users = [question.requestUser, question.toUser, question.divertedUser];
  const read = readCalled(users, { techPrefixes: prefixesOf(trunk), numberRules: rulesOf(trunk) });
  const refusal = (reason: string): Refusal => ({ trunkId: trunk.id, status: 404, reason });
  if (!read) return refusal(`The called number ${question.requestUser} cannot be read.`);
  const { number, prefix } = read;
  if (prefix && prefix.purpose !== 'PROCESS') {
    const what = prefix.purpose === 'FORWARD' ? 'forwarding rule' : 'call filter';
    return refusal(`No ${what} takes calls with the tech prefix ${prefix.prefix}.`);
  }
  if (number === null) return refusal(`What follows the tech prefix ${prefix?.prefix ?? ''} is no number.`);
  return { number };
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
