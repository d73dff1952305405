/** Inserts a trunk with status DRAFT, under a free ingress label. */
import type { Prisma, SipTrunk } from '@clarion/db';
import { ApiError } from '@clarion/protocol';
import type { TechPrefixes } from '@clarion/protocol';
import type { OperatorCtx } from '../consumer/operator.ts';
import { violatedConstraint } from '../violated-constraint.ts';
import { columnsOf, techPrefixColumn } from './trunk-settings.ts';
import type { TrunkSettings } from './trunk-settings.ts';

/** A username alone is allowed: some carriers use an empty password. */
export interface Credentials {
  username: string;
  password: string | null;
}

export interface InsertTrunk {
  /** Null: a platform trunk. */
  consumer: { id: number; slug: string } | null;
  name: string;
  /** Null: derived from the names, with a number appended if it is taken. */
  ingressLabel: string | null;
  settings: TrunkSettings;
  techPrefixes: TechPrefixes | null;
  credentials: Credentials | null;
}

/** Serialises the creation of trunks, which is rare: labels are unique in the whole deployment. */
const LABEL_LOCK = 1_903_265;
/** A label of a host name (RFC 1035, section 2.3.1). */
const LABEL_MAX_CHARS = 63;

/** @throws 409 exists naming `name` or `ingress_label` */
export async function insertTrunk(ctx: OperatorCtx, input: InsertTrunk): Promise<SipTrunk> {
  const { consumer, name } = input;
  await ctx.db.$executeRaw`select pg_advisory_xact_lock(${LABEL_LOCK}::bigint)`;
  const where = { consumerId: consumer?.id ?? null, name };
  if ((await ctx.db.sipTrunk.count({ where })) > 0) throw exists('name', name);
  return insert(ctx, {
    ...where,
    ...columnsOf(input.settings),
    ingressLabel: input.ingressLabel ?? (await freeLabel(ctx, labelOf(consumer?.slug ?? null, name))),
    ...techPrefixColumn(input.techPrefixes),
    ...credentialColumns(ctx, input.credentials),
  });
}

export const credentialColumns = ({ secrets }: Pick<OperatorCtx, 'secrets'>, given: Credentials | null) => ({
  username: given?.username ?? null,
  passwordSealed:
    given === null || given.password === null ? null : secrets.seal('trunk-password', given.password),
});

/** A label consists of lowercase letters, digits and hyphens, so several names have the same one. */
const labelOf = (slug: string | null, name: string) =>
  withoutHyphenAtEnd(
    [slug, name]
      .filter((part) => part !== null)
      .join('-')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, LABEL_MAX_CHARS),
  );

async function freeLabel({ db }: OperatorCtx, label: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : `-${count}`;
    const candidate = withoutHyphenAtEnd(label.slice(0, LABEL_MAX_CHARS - suffix.length)) + suffix;
    if ((await db.sipTrunk.count({ where: { ingressLabel: candidate } })) === 0) return candidate;
  }
}

const withoutHyphenAtEnd = (label: string) => label.replace(/-+$/, '');

const exists = (field: string, value: string) =>
  new ApiError('exists', { message: `A trunk ${value} exists.`, details: { field } });

/** The lock does not cover labels that were chosen by the operator of an earlier version, nor changes made in the database. */
async function insert(ctx: OperatorCtx, data: Prisma.SipTrunkUncheckedCreateInput): Promise<SipTrunk> {
  try {
    return await ctx.db.sipTrunk.create({ data });
  } catch (error) {
    switch (violatedConstraint(error)) {
      case 'SipTrunk_ingressLabel_key':
        throw exists('ingress_label', data.ingressLabel);
      case 'SipTrunk_consumerId_name_key':
        throw exists('name', data.name);
      default:
        throw error;
    }
  }
}
