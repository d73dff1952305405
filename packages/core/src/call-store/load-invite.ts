/** What the decision on an INVITE reads: its trunks, and the lines that the called number may belong to. */
import type { Agent, Channel, Consumer, IvrFlow, SipTrunk, Tenant } from '@clarion/db';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import type { IdleQueue } from '../queue-routing/snapshot.ts';
import type { RunStatement, Statement } from './step-sql.ts';

export type CandidateTrunk = Pick<
  SipTrunk,
  | 'id'
  | 'status'
  | 'ingressHostOnly'
  | 'inboundSourceCidrs'
  | 'quirks'
  | 'numberRules'
  | 'techPrefixes'
  | 'codecs'
  | 'srtp'
  | 'maxCalls'
  | 'consumerId'
  | 'inboundBuyDeckId'
  | 'ingressLabel'
> & {
  /** The address at which the trunk is registered; null: it is not. */
  registeredAddress: string | null;
};

export interface CalledLine extends Pick<
  Channel,
  | 'id'
  | 'ref'
  | 'type'
  | 'status'
  | 'tenantId'
  | 'sipTrunkId'
  | 'recordingEnabled'
  | 'ringTimeoutSeconds'
  | 'inboundQueueId'
> {
  /** The ID for the call of this INVITE; null: the line has an owner, with whom the call begins (load_beginning). */
  newCallId: number | null;
  tenant: Pick<Tenant, 'id' | 'consumerId' | 'ref' | 'settings' | 'pricePlanId'> & {
    rowVersion: string;
    consumer: Pick<
      Consumer,
      'status' | 'recordingEnabled' | 'planCountries' | 'planBlockedPrefixes' | 'lookupUrl' | 'pricePlanId'
    >;
  };
  /** `canRing`: not deleted, and an app is connected or a push notification can wake one. */
  owner: (Pick<Agent, 'id' | 'ref' | 'doNotDisturb'> & { canRing: boolean }) | null;
  /** The active flows of the line. */
  flows: Pick<IvrFlow, 'id' | 'triggerCondition'>[];
  /** Null: only a dispatch decides who gets a call in the line's queue, or the line has none. */
  idleQueue: IdleQueue | null;
  /** The line's queue and its overflow chain; empty: none. */
  stops: OverflowHop[];
}

/** $1: the INVITE. */
const KNOWN_INVITE: Statement = {
  name: 'known-invite',
  text: `
    select true from "Call" where "inviteId" = $1::uuid
    union all
    select false from "WithdrawnInvite" where "inviteId" = $1::uuid
    limit 1`,
};

/** $1: the label of the ingress host, or empty. $2: the source address. */
const LOAD_TRUNKS: Statement = {
  name: 'load-trunks',
  text: `select load_trunks(nullif($1::text, ''), $2::inet)`,
};

/** $1: trunks and numbers. */
const LOAD_LINES: Statement = { name: 'load-lines', text: 'select load_lines($1::jsonb)' };

const OVERFLOW_CHAIN: Statement = { name: 'overflow-chain', text: 'select overflow_chain($1::int)' };

/** True: the INVITE has become a call. False: it was withdrawn. Null: neither. */
export const isKnownInvite = async (run: RunStatement, inviteId: string): Promise<boolean | null> =>
  (await run(KNOWN_INVITE, [inviteId])) as boolean | null;

/** Lowest ID first. The statement is the only source of these rows, so they are not checked again; the same applies below. */
export const loadTrunks = async (
  run: RunStatement,
  ingressLabel: string | null,
  source: string,
): Promise<CandidateTrunk[]> => (await run(LOAD_TRUNKS, [ingressLabel ?? '', source])) as CandidateTrunk[];

export const loadLines = async (
  run: RunStatement,
  candidates: readonly { trunkId: number; number: string }[],
): Promise<CalledLine[]> => (await run(LOAD_LINES, [JSON.stringify(candidates)])) as CalledLine[];

/** The queue and those to which it overflows, each once; empty if it does not exist. */
export const loadOverflowChain = async (run: RunStatement, queueId: number): Promise<OverflowHop[]> =>
  (await run(OVERFLOW_CHAIN, [queueId])) as OverflowHop[];
