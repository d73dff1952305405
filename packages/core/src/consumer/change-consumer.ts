/** The operator's changes to an account. */
import type { Prisma } from '@clarion/db';
import { invalidField } from '@clarion/protocol';
import { getCountries } from 'libphonenumber-js/max';
import type { AuditAction } from '../audit-actions.ts';
import { audit, inTransaction } from '../context.ts';
import { consumerOf, forConsumer } from './operator.ts';
import type { OperatorCtx } from './operator.ts';
import { presentConsumer } from './present.ts';
import type { ConsumerView } from './present.ts';

export interface ConsumerChange {
  name?: string;
  status?: ConsumerView['status'];
  selfService?: ConsumerView['selfService'];
  recordingEnabled?: boolean;
}

export async function changeConsumer(
  ctx: OperatorCtx,
  slug: string,
  change: ConsumerChange,
): Promise<ConsumerView> {
  return update(ctx, slug, 'consumer.set', change);
}

export interface PlanChange {
  callsAtOnce?: number;
  outboundPerMinute?: number;
  /** ISO 3166 codes; none means every country. */
  countries?: string[];
  /** Per tenant. */
  audioAssets?: number;
  /** Per tenant: uploads and their decoded files. */
  audioMegabytes?: number;
  /** Own trunks, whatever their status. */
  trunks?: number;
}

/** @throws 400 naming an unknown country code */
export async function setPlan(ctx: OperatorCtx, slug: string, plan: PlanChange): Promise<ConsumerView> {
  const known = new Set<string>(getCountries());
  const countries = plan.countries?.map((country) => country.trim().toUpperCase());
  const wrong = countries?.find((country) => !known.has(country));
  if (wrong !== undefined)
    throw invalidField('countries', `countries: ${wrong} is not an ISO 3166 country code.`);
  return update(ctx, slug, 'plan.set', {
    ...(plan.callsAtOnce !== undefined && { planCallsAtOnce: plan.callsAtOnce }),
    ...(plan.outboundPerMinute !== undefined && { planOutboundPerMinute: plan.outboundPerMinute }),
    ...(plan.audioAssets !== undefined && { planAudioAssets: plan.audioAssets }),
    ...(plan.audioMegabytes !== undefined && { planAudioMegabytes: plan.audioMegabytes }),
    ...(plan.trunks !== undefined && { planTrunks: plan.trunks }),
    ...(countries && { planCountries: [...new Set(countries)] }),
  });
}

async function update(
  ctx: OperatorCtx,
  slug: string,
  action: AuditAction,
  data: Prisma.ConsumerUpdateInput,
): Promise<ConsumerView> {
  return inTransaction(ctx, async (inner) => {
    const { id } = await consumerOf(inner, slug);
    const consumer = await inner.db.consumer.update({ where: { id }, data });
    await audit(forConsumer(inner, consumer), {
      action,
      target: slug,
      details: Object.fromEntries(Object.entries(data).map(([field, value]) => [field, String(value)])),
    });
    return presentConsumer(consumer);
  });
}

export async function listConsumers({ db }: OperatorCtx): Promise<ConsumerView[]> {
  return (await db.consumer.findMany({ orderBy: { id: 'asc' } })).map(presentConsumer);
}
