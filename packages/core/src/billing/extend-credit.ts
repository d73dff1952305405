/** Extends the credit that is reserved for running calls, in two statements for all of them: one reads, one reserves. */
import type { Database } from '@clarion/db';
import { planExtensions, priceFor } from '../ledger/call-credit.ts';
import type { BillingOwner, Extension, Reservation } from '../ledger/call-credit.ts';
import { amountOf, millionthsOf } from '../rating/millionths.ts';
import type { Millionths } from '../rating/millionths.ts';
import type { CallPricing } from '../rating/call-pricing.ts';

const MS_PER_SECOND = 1000;

interface ReservationRow {
  callId: number;
  accountId: number;
  owner: BillingOwner;
  amount: string;
  paidSeconds: number;
  paidUntil: Date;
  /** Null: without limit. */
  available: string | null;
  suspended: boolean;
  sipTrunkId: number | null;
  pricing: CallPricing;
}

/** How often to read calls again that another process has extended, or whose account has paid for something else meanwhile. */
const MAX_ATTEMPTS = 3;

/**
 * @returns for each of these calls that is paid for until a known moment: that moment, in milliseconds since the epoch. If it has passed, an
 *   account of the call has nothing left for it. Calls that change all the time are left out.
 */
export async function extendCredit(
  db: Database,
  callIds: readonly number[],
  now: Date,
): Promise<Map<number, number>> {
  const ends = new Map<number, number>();
  let left = callIds;
  for (let attempt = 1; left.length > 0 && attempt <= MAX_ATTEMPTS; attempt += 1)
    left = await extendOnce(db, left, now, ends);
  return ends;
}

/** Adds to `ends`. @returns the calls whose rows had changed */
async function extendOnce(
  db: Database,
  callIds: readonly number[],
  now: Date,
  ends: Map<number, number>,
): Promise<number[]> {
  const rows = await readReservations(db, callIds);
  const available = new Map(rows.map((row) => [row.accountId, availableOf(row)]));
  const extensions = planExtensions(rows.flatMap(reservationOf), available, now.getTime());
  const done = extensions.length === 0 ? [] : await reserve(db, extensions);
  const changed = new Set<number>();
  const found = new Map<number, number>();
  for (const { callId, accountId, paidUntil } of rows) {
    const isSame = (other: { callId: number; accountId: number }) =>
      other.callId === callId && other.accountId === accountId;
    const extension = extensions.find(isSame);
    if (extension && !done.some(isSame)) changed.add(callId);
    const seconds = extension ? extension.to - extension.from : 0;
    // A call that two accounts pay for lasts as long as both do.
    found.set(callId, Math.min(found.get(callId) ?? Infinity, paidUntil.getTime() + seconds * MS_PER_SECOND));
  }
  for (const [callId, end] of found) if (!changed.has(callId)) ends.set(callId, end);
  return [...changed];
}

const readReservations = (db: Database, callIds: readonly number[]): Promise<ReservationRow[]> =>
  db.$queryRaw<ReservationRow[]>`
    select r."callId", r."accountId", a."owner"::text, r."amount"::text, r."paidSeconds", r."paidUntil",
      available_credit(a)::text as "available", a."status" = 'SUSPENDED' as "suspended", c."sipTrunkId", l."state"->'pricing' as "pricing"
    from "CreditReservation" r join "BillingAccount" a on a."id" = r."accountId" join "LiveCall" l on l."callId" = r."callId"
      join "Call" c on c."id" = r."callId"
    where r."paidUntil" is not null and r."callId" = any(${[...callIds]}::int[])
    order by r."paidUntil", r."callId", r."accountId"`;

function reservationOf({
  callId,
  accountId,
  owner,
  pricing,
  sipTrunkId,
  ...row
}: ReservationRow): Reservation[] {
  const price = priceFor(
    owner,
    pricing.routes.find(({ trunkId }) => trunkId === sipTrunkId),
  );
  if (!price) return [];
  const { amount, paidSeconds, paidUntil } = row;
  return [
    { callId, accountId, price, amount: millionthsOf(amount), paidSeconds, paidUntil: paidUntil.getTime() },
  ];
}

/** A running call of a suspended account goes on until the second that is paid. */
function availableOf({ available, suspended }: ReservationRow): Millionths | null {
  if (suspended) return 0n;
  return available === null ? null : millionthsOf(available);
}

/** @returns those that were extended */
async function reserve(
  db: Database,
  extensions: readonly Extension[],
): Promise<{ callId: number; accountId: number }[]> {
  const json = JSON.stringify(
    extensions.map(({ amount, ...extension }) => ({ ...extension, amount: amountOf(amount) })),
  );
  return db.$queryRaw`select * from extend_credit(${json}::jsonb)`;
}
