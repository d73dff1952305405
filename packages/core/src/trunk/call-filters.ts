/** The operator's call filters: what happens to inbound calls whose tech prefix has the purpose FILTER (docs/requirements.md#trunks). */
import type { CallFilter, CallFilterAction, SipTrunk } from '@clarion/db';
import { ApiError, notFound } from '@clarion/protocol';
import { auditAsOperator } from '../consumer/operator.ts';
import type { OperatorCtx } from '../consumer/operator.ts';
import { inTransaction } from '../context.ts';
import { violatedConstraint } from '../violated-constraint.ts';
import { lockTrunk } from './lock-trunk.ts';
import { prefixWarning } from './prefix-warning.ts';

/** Null: any. */
export interface NewCallFilter {
  trunkId: number;
  /** A tech prefix of the trunk. */
  prefix: string | null;
  /** First digits of the caller's number in E.164, without `+`. */
  caller: string | null;
  /** First characters of what follows the prefix, without `+`. */
  called: string | null;
  action: CallFilterAction;
}

export interface PresentedCallFilter extends NewCallFilter {
  id: number;
  createdAt: string;
  /** Why no call reaches the filter; null: calls do. */
  warning: string | null;
}

const withTrunk = { trunk: true } as const;
type FilterWithTrunk = CallFilter & { trunk: SipTrunk };

/** @throws 404; 409 exists */
export async function createCallFilter(ctx: OperatorCtx, input: NewCallFilter): Promise<PresentedCallFilter> {
  return inTransaction(ctx, async (inner) => {
    const { db } = inner;
    const { trunkId, prefix, caller, called, action } = input;
    await lockTrunk(inner, trunkId);
    const data = { trunkId, prefix: prefix ?? '', caller: caller ?? '', called: called ?? '', action };
    try {
      const created = await db.callFilter.create({ data, include: withTrunk });
      await audit(inner, 'create', created);
      return presented(created);
    } catch (error) {
      if (violatedConstraint(error) !== 'CallFilter_trunkId_prefix_caller_called_key') throw error;
      throw new ApiError('exists', { message: 'The trunk already has a call filter for these calls.' });
    }
  });
}

/** Those of one trunk, or of all. */
export async function listCallFilters(
  { db }: Pick<OperatorCtx, 'db'>,
  trunkId: number | null,
): Promise<PresentedCallFilter[]> {
  const where = trunkId === null ? {} : { trunkId };
  const filters = await db.callFilter.findMany({
    where,
    include: withTrunk,
    orderBy: [{ trunkId: 'asc' }, { id: 'asc' }],
  });
  return filters.map(presented);
}

/** @throws 404 */
export async function deleteCallFilter(ctx: OperatorCtx, id: number): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    await inner.db.$queryRaw`select 1 from "CallFilter" where "id" = ${id} for update`;
    const filter = await inner.db.callFilter.findUnique({ where: { id }, include: withTrunk });
    if (!filter) throw notFound('The call filter');
    await inner.db.callFilter.delete({ where: { id } });
    await audit(inner, 'delete', filter);
  });
}

/** In the log of the account whose trunk the calls come in on. */
function audit(ctx: OperatorCtx, verb: 'create' | 'delete', filter: FilterWithTrunk): Promise<void> {
  const { trunkId, prefix, caller, called, action } = filter;
  const { consumerId } = filter.trunk;
  return auditAsOperator(ctx, consumerId === null ? null : { id: consumerId }, {
    action: `call_filter.${verb}`,
    target: String(filter.id),
    details: { trunkId, prefix, caller, called, action },
  });
}

const presented = (filter: FilterWithTrunk): PresentedCallFilter => ({
  id: filter.id,
  trunkId: filter.trunkId,
  prefix: filter.prefix || null,
  caller: filter.caller || null,
  called: filter.called || null,
  action: filter.action,
  createdAt: filter.createdAt.toISOString(),
  warning: prefixWarning('FILTER', filter),
});
