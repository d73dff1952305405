/** Creates a trunk of the platform or of a consumer. It begins as DRAFT. */
import type { Prisma, SipTrunk, TrunkTransport } from '@clarion/db';
import { ApiError, invalidField } from '@clarion/protocol';
import type { NumberRules, TrunkQuirks } from '@clarion/protocol';
import { consumerOf, forConsumer } from '../consumer/operator.ts';
import type { OperatorCtx } from '../consumer/operator.ts';
import { audit, inTransaction } from '../context.ts';
import { violatedConstraint } from '../violated-constraint.ts';
import { isNetwork } from './network.ts';

export interface NewTrunk {
  /** Null: a platform trunk. */
  slug: string | null;
  name: string;
  host: string;
  port: number;
  transport: TrunkTransport;
  /** Addresses and networks (CIDR) of the carrier's signalling. */
  inboundSourceCidrs: readonly string[];
  /** First label of the ingress host; null derives it from the trunk's name. */
  ingressLabel: string | null;
  numberRules: NumberRules | null;
  quirks: TrunkQuirks;
  credentials: { username: string; password: string } | null;
}

/** docs/requirements.md#limits */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** @throws 400 naming the field, 409 exists */
export async function createTrunk(ctx: OperatorCtx, input: NewTrunk): Promise<SipTrunk> {
  const { slug, name, credentials } = input;
  if (!NAME.test(name)) {
    throw invalidField('name', 'name must be 1 to 64 letters, digits, dots, hyphens or underscores.');
  }
  input.inboundSourceCidrs.forEach(assertSource);
  const ingressLabel = input.ingressLabel ?? labelOf(slug, name);
  if (!LABEL.test(ingressLabel)) {
    throw invalidField(
      'ingress_label',
      'ingress_label must contain only lowercase letters, digits and hyphens.',
    );
  }
  return inTransaction(ctx, async (inner) => {
    const consumer = slug === null ? null : await consumerOf(inner, slug);
    const where = { consumerId: consumer?.id ?? null, name };
    if ((await inner.db.sipTrunk.count({ where })) > 0) throw exists('name', name);
    const trunk = await insert(inner, {
      ...where,
      host: input.host,
      port: input.port,
      transport: input.transport,
      inboundSourceCidrs: [...input.inboundSourceCidrs],
      ingressLabel,
      quirks: input.quirks,
      ...(input.numberRules && { numberRules: input.numberRules }),
      ...(credentials && {
        username: credentials.username,
        passwordSealed: inner.secrets.seal('trunk-password', credentials.password),
      }),
    });
    if (consumer) {
      await audit(forConsumer(inner, consumer), { action: 'trunk.create', target: String(trunk.id) });
    }
    return trunk;
  });
}

function assertSource(source: string): void {
  if (isNetwork(source)) return;
  throw invalidField(
    'inbound_source_cidrs',
    `inbound_source_cidrs: ${source} is not an IP address or CIDR range.`,
  );
}

const labelOf = (slug: string | null, name: string) =>
  [slug, name]
    .filter((part) => part !== null)
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/-+$/, '');

const exists = (field: string, value: string) =>
  new ApiError('exists', { message: `A trunk ${value} exists.`, details: { field } });

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
