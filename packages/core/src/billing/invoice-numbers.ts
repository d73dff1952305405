/** The numbers of invoices: a sequence without gaps for each issuer, because a rolled-back transaction gives back what it took. */
import type { Tx } from '@clarion/db';
import type { DueCycle } from './billing-cycle.ts';

const MIN_DIGITS = 6;
const OPERATOR = null;

type Issued = Pick<DueCycle, 'owner' | 'consumerId'>;

/** The next numbers, in the order of `invoices`. The counters stay locked until the transaction ends. */
export async function takeNumbers(tx: Tx, invoices: readonly Issued[]): Promise<string[]> {
  const issuers = Map.groupBy(invoices, issuerOf);
  const next = new Map<number | null, number>();
  // In one order, so that concurrent transactions do not wait for each other in a circle.
  for (const [issuer, issued] of [...issuers].toSorted(([a], [b]) => (a ?? 0) - (b ?? 0))) {
    next.set(issuer, (await countUp(tx, issuer, issued.length)) - issued.length);
  }
  return invoices.map((invoice) => {
    const issuer = issuerOf(invoice);
    const number = (next.get(issuer) ?? 0) + 1;
    next.set(issuer, number);
    return `${issuer === OPERATOR ? 'OP' : 'CL'}-${String(number).padStart(MIN_DIGITS, '0')}`;
  });
}

const issuerOf = ({ owner, consumerId }: Issued): number | null =>
  owner === 'CONSUMER' ? OPERATOR : consumerId;

async function countUp(tx: Tx, consumerId: number | null, by: number): Promise<number> {
  const [counter] = await tx.$queryRaw<{ lastNumber: number }[]>`
    insert into "InvoiceCounter" as c ("consumerId", "lastNumber") values (${consumerId}::int, ${by}::int)
    on conflict ("consumerId") do update set "lastNumber" = c."lastNumber" + excluded."lastNumber"
    returning "lastNumber"`;
  if (!counter) throw new Error('the counter of invoices was not stored');
  return counter.lastNumber;
}
