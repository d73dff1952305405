/** The periods of POSTPAID accounts that are due for an invoice. */
import { Prisma } from '@clarion/db';
import type { BillingOwner, Tx } from '@clarion/db';

export interface DueCycle {
  accountId: number;
  consumerId: number;
  owner: BillingOwner;
  currency: string;
  invoiceDueDays: number;
  issuerName: string;
  customerName: string;
  customerRef: string | null;
  periodFrom: Date;
  afterTransactionId: number;
}

/** @param operatorName issues the invoices of consumers' own accounts */
const select = (operatorName: string) => Prisma.sql`
  select c.*, a."consumerId", a."owner", a."currency", a."invoiceDueDays", a."tenantRef" as "customerRef",
    case a."owner" when 'TENANT' then o."name" else ${operatorName} end as "issuerName",
    case a."owner" when 'TENANT' then coalesce(t."name", a."tenantRef") else o."name" end as "customerName"
  from "BillingCycle" c join "BillingAccount" a on a."id" = c."accountId" join "Consumer" o on o."id" = a."consumerId"
    left join "Tenant" t on t."id" = a."tenantId"`;

/**
 * Locks the cycles of accounts whose period began before `monthStart`. Those that another transaction works on are skipped, so concurrent runs
 * share the work and never wait for each other's accounts.
 */
export const claimDueCycles = (
  tx: Tx,
  operatorName: string,
  monthStart: Date,
  limit: number,
): Promise<DueCycle[]> =>
  tx.$queryRaw<DueCycle[]>`
    ${select(operatorName)} where c."periodFrom" < ${monthStart} order by c."periodFrom", c."accountId" limit ${limit}
    for no key update of c skip locked`;

/** Locks the cycle of one account, and waits for whoever works on it. Null: the account is PREPAID. */
export async function lockCycle(tx: Tx, operatorName: string, accountId: number): Promise<DueCycle | null> {
  const [cycle] = await tx.$queryRaw<DueCycle[]>`
    ${select(operatorName)} where c."accountId" = ${accountId} for no key update of c`;
  return cycle ?? null;
}
