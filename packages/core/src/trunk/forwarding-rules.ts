/** The operator's forwarding rules: where inbound calls go whose tech prefix has the purpose FORWARD (docs/requirements.md#trunks). */
import type { ForwardingRule, SipTrunk } from '@clarion/db';
import { ApiError, notFound } from '@clarion/protocol';
import { auditAsOperator } from '../consumer/operator.ts';
import type { OperatorCtx } from '../consumer/operator.ts';
import { inTransaction } from '../context.ts';
import { violatedConstraint } from '../violated-constraint.ts';
import { lockTrunk } from './lock-trunk.ts';
import { prefixWarning } from './prefix-warning.ts';

export interface NewForwardingRule {
  trunkId: number;
  /** A tech prefix of the trunk; null: any. */
  prefix: string | null;
  /** First characters of what follows the prefix, without `+`; null: any. */
  called: string | null;
  toTrunkId: number;
  /** Dialled instead of the called number, in E.164; null: the called number. */
  toNumber: string | null;
}

export interface PresentedForwardingRule extends NewForwardingRule {
  id: number;
  createdAt: string;
  /** Why no call is forwarded by the rule; null: calls are. */
  warning: string | null;
}

const withTrunks = { trunk: true, toTrunk: true } as const;
type RuleWithTrunks = ForwardingRule & { trunk: SipTrunk; toTrunk: SipTrunk };

/** @throws 404; 409 exists */
export async function createForwardingRule(
  ctx: OperatorCtx,
  input: NewForwardingRule,
): Promise<PresentedForwardingRule> {
  return inTransaction(ctx, async (inner) => {
    const { db } = inner;
    const { trunkId, prefix, called, toTrunkId, toNumber } = input;
    for (const id of [trunkId, toTrunkId]) await lockTrunk(inner, id);
    const data = { trunkId, prefix: prefix ?? '', called: called ?? '', toTrunkId, toNumber };
    try {
      const created = await db.forwardingRule.create({ data, include: withTrunks });
      await audit(inner, 'create', created);
      return presented(created);
    } catch (error) {
      if (violatedConstraint(error) !== 'ForwardingRule_trunkId_prefix_called_key') throw error;
      throw new ApiError('exists', { message: 'The trunk already has a forwarding rule for these calls.' });
    }
  });
}

/** Those of one trunk, or of all. */
export async function listForwardingRules(
  { db }: Pick<OperatorCtx, 'db'>,
  trunkId: number | null,
): Promise<PresentedForwardingRule[]> {
  const rules = await db.forwardingRule.findMany({
    where: trunkId === null ? {} : { trunkId },
    include: withTrunks,
    orderBy: [{ trunkId: 'asc' }, { id: 'asc' }],
  });
  return rules.map(presented);
}

/** Calls in progress continue. @throws 404 */
export async function deleteForwardingRule(ctx: OperatorCtx, id: number): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    await inner.db.$queryRaw`select 1 from "ForwardingRule" where "id" = ${id} for update`;
    const rule = await inner.db.forwardingRule.findUnique({ where: { id }, include: withTrunks });
    if (!rule) throw notFound('The forwarding rule');
    await inner.db.forwardingRule.delete({ where: { id } });
    await audit(inner, 'delete', rule);
  });
}

/** In the log of the account whose trunk the calls come in on. */
function audit(ctx: OperatorCtx, verb: 'create' | 'delete', rule: RuleWithTrunks): Promise<void> {
  const { trunkId, prefix, called, toTrunkId, toNumber } = rule;
  const { consumerId } = rule.trunk;
  return auditAsOperator(ctx, consumerId === null ? null : { id: consumerId }, {
    action: `forwarding_rule.${verb}`,
    target: String(rule.id),
    details: { trunkId, prefix, called, toTrunkId, toNumber },
  });
}

const presented = (rule: RuleWithTrunks): PresentedForwardingRule => ({
  id: rule.id,
  trunkId: rule.trunkId,
  prefix: rule.prefix || null,
  called: rule.called || null,
  toTrunkId: rule.toTrunkId,
  toNumber: rule.toNumber,
  createdAt: rule.createdAt.toISOString(),
  warning:
    prefixWarning('FORWARD', rule) ??
    (rule.toTrunk.status === 'ACTIVE' ? null : `The trunk ${rule.toTrunkId} is ${rule.toTrunk.status}.`),
});
