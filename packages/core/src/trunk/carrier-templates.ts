/** Templates with the settings of known carriers. The operator maintains them, and every account may create trunks from them. */
import type { CarrierTemplate, Prisma, SipTrunk } from '@clarion/db';
import { ApiError, inUse, invalidField, notFound } from '@clarion/protocol';
import type { CarrierTemplateResource } from '@clarion/protocol/v1/tenant/carrier-templates';
import { auditAsOperator } from '../consumer/operator.ts';
import type { OperatorCtx } from '../consumer/operator.ts';
import { inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { violatedConstraint } from '../violated-constraint.ts';
import { assertSources } from './network.ts';
import { presentTemplate } from './present.ts';
import { updateIngressHostOnly } from './shared-sources.ts';
import { assertConsistent, carrierSettingsOf, changedCarrier, columnsOfCarrier } from './trunk-settings.ts';
import type { CarrierChange, CarrierSettings } from './trunk-settings.ts';

export interface NewTemplate extends CarrierSettings {
  name: string;
  notes: string | null;
}
/** What is not given stays as it is. */
export interface TemplateChange extends CarrierChange {
  name?: string;
  notes?: string | null;
}

export async function listTemplates({ db }: Pick<Ctx, 'db'>): Promise<CarrierTemplateResource[]> {
  return (await db.carrierTemplate.findMany({ orderBy: { name: 'asc' } })).map(presentTemplate);
}

/** The template that a body names. @throws 400 template_id */
export async function templateOf(
  { db }: Pick<Ctx, 'db'>,
  id: number | null,
): Promise<CarrierTemplate | null> {
  if (id === null) return null;
  const template = await db.carrierTemplate.findUnique({ where: { id } });
  if (!template) {
    throw invalidField(
      'template_id',
      'template_id must be the ID of a template listed by GET /v1/carrier-templates.',
    );
  }
  return template;
}

/** The same in a transaction, until whose end it is not changed: a change could not reach a trunk that is being saved. */
export async function lockedTemplate(
  { db }: Pick<Ctx, 'db'>,
  id: number | null,
): Promise<CarrierTemplate | null> {
  if (id !== null) await db.$queryRaw`select 1 from "CarrierTemplate" where "id" = ${id} for share`;
  return templateOf({ db }, id);
}

/** @throws 400 naming the field; 409 exists */
export async function createTemplate(ctx: OperatorCtx, input: NewTemplate): Promise<CarrierTemplate> {
  assertValid(input);
  return inTransaction(ctx, async (inner) => {
    const template = await save(input.name, () => inner.db.carrierTemplate.create({ data: columns(input) }));
    await auditAsOperator(inner, null, {
      action: 'template.create',
      target: String(template.id),
      details: { name: template.name },
    });
    return template;
  });
}

export interface ChangedTemplate {
  template: CarrierTemplate;
  /** The trunks whose addresses were changed with it. */
  followers: SipTrunk[];
}

/**
 * Changes what is given. New addresses are copied to the trunks that follow the template in the same transaction, so that a call is
 * matched with one look-up; that needs no review.
 *
 * @throws 404; 400 naming the field; 409 exists; 409 in_use if active trunks would be left without addresses
 */
export async function setTemplate(
  ctx: OperatorCtx,
  id: number,
  change: TemplateChange,
): Promise<ChangedTemplate> {
  return inTransaction(ctx, async (inner) => {
    const { db } = inner;
    const before = await lockForChange(inner, id);
    const { name = before.name, notes = before.notes, ...carrier } = change;
    const input = { name, notes, ...changedCarrier(carrierSettingsOf(before), carrier) };
    assertValid(input);
    const template = await save(input.name, () =>
      db.carrierTemplate.update({ where: { id }, data: columns(input) }),
    );
    const moved = input.inboundSourceCidrs.join() !== before.inboundSourceCidrs.join();
    const followers = moved ? await copyAddresses(inner, template) : [];
    await auditAsOperator(inner, null, {
      action: 'template.set',
      target: String(id),
      details: { name: template.name, changed: Object.keys(change).join(', '), followers: followers.length },
    });
    return { template, followers };
  });
}

/** @throws 404; 409 in_use naming the trunks that follow it */
export async function deleteTemplate(ctx: OperatorCtx, id: number): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const { name } = await lockForChange(inner, id);
    const followers = await followersOf(inner, id);
    if (followers.length > 0) throw inUse(followers.map(named));
    await inner.db.carrierTemplate.deleteMany({ where: { id } });
    await auditAsOperator(inner, null, { action: 'template.delete', target: String(id), details: { name } });
  });
}

/** Trunks that are being created from the template wait, and those that wait for it are seen afterwards. @throws 404 */
async function lockForChange({ db }: OperatorCtx, id: number): Promise<CarrierTemplate> {
  await db.$queryRaw`select 1 from "CarrierTemplate" where "id" = ${id} for update`;
  const template = await db.carrierTemplate.findUnique({ where: { id } });
  if (!template) throw notFound('The template');
  return template;
}

const followersOf = ({ db }: OperatorCtx, templateId: number) =>
  db.sipTrunk.findMany({ where: { templateId, followTemplate: true }, orderBy: { id: 'asc' } });
const named = ({ id, name }: SipTrunk) => `trunk:${id} (${name})`;

async function copyAddresses(ctx: OperatorCtx, template: CarrierTemplate): Promise<SipTrunk[]> {
  const { db } = ctx;
  const { id, inboundSourceCidrs } = template;
  const submitted = (await followersOf(ctx, id)).filter(({ status }) =>
    ['PENDING', 'ACTIVE'].includes(status),
  );
  if (inboundSourceCidrs.length === 0 && submitted.length > 0) throw inUse(submitted.map(named));
  // `updatedAt` stays: its owner has not changed the trunk.
  await db.$executeRaw`
    update "SipTrunk" set "inboundSourceCidrs" = ${inboundSourceCidrs} where "templateId" = ${id} and "followTemplate"`;
  for (const trunk of await followersOf(ctx, id)) {
    await updateIngressHostOnly(ctx, trunk, {
      ifImpossible: (message) => new ApiError('invalid_state', { message: `${named(trunk)}: ${message}` }),
    });
    const consumer =
      trunk.consumerId === null ? null : await db.consumer.findUnique({ where: { id: trunk.consumerId } });
    await auditAsOperator(ctx, consumer, {
      action: 'trunk.follow_template',
      target: String(trunk.id),
      details: { template: template.name, inboundSourceCidrs: inboundSourceCidrs.join(', ') },
    });
  }
  return followersOf(ctx, id);
}

function assertValid(input: NewTemplate): void {
  assertSources(input.inboundSourceCidrs);
  assertConsistent(input);
}

const columns = (input: NewTemplate) => ({
  name: input.name,
  notes: input.notes,
  ...columnsOfCarrier(input),
});

async function save(
  name: string,
  work: () => Prisma.PrismaPromise<CarrierTemplate>,
): Promise<CarrierTemplate> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) !== 'CarrierTemplate_name_key') throw error;
    throw new ApiError('exists', { message: `A template ${name} exists.`, details: { field: 'name' } });
  }
}
