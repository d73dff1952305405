/** The operator's verbs that create and change trunks, of the platform or of an account. They may use private addresses. */
import type { SipTrunk, TrunkTransport } from '@clarion/db';
import { ApiError, invalidField, notFound } from '@clarion/protocol';
import type { NumberRules, TechPrefixes, TrunkQuirks } from '@clarion/protocol';
import type { CarrierCodec } from '@clarion/protocol/media';
import { auditAsOperator, consumerOf } from '../consumer/operator.ts';
import type { OperatorCtx } from '../consumer/operator.ts';
import { inTransaction } from '../context.ts';
import { lockedTemplate } from './carrier-templates.ts';
import { credentialColumns, insertTrunk } from './insert-trunk.ts';
import type { Credentials } from './insert-trunk.ts';
import { assertSources } from './network.ts';
import { updateIngressHostOnly } from './shared-sources.ts';
import {
  assertCanRegister,
  assertConsistent,
  carrierSettingsOf,
  changedCarrier,
  columnsOf,
  settingsOf,
  techPrefixColumn,
} from './trunk-settings.ts';
import type { CarrierChange, GivenDestination, TrunkSettings } from './trunk-settings.ts';

/** Settings that have a default, or that of the template. */
interface OptionalSettings {
  codecs?: readonly CarrierCodec[];
  destinations?: readonly GivenDestination[];
  register?: boolean;
  srtp?: boolean;
  maxCalls?: number | null;
  callsPerSecond?: number | null;
  /** Null removes them. */
  techPrefixes?: TechPrefixes | null;
}

export interface NewTrunk extends OptionalSettings {
  /** Null: a platform trunk. */
  slug: string | null;
  name: string;
  /** Null: the template's. */
  host: string | null;
  port: number | null;
  transport: TrunkTransport | null;
  /** Addresses and networks (CIDR) of the carrier's signalling. Without any, the trunk follows its template. */
  inboundSourceCidrs: readonly string[];
  /** First label of the ingress host; null derives it from the trunk's name. */
  ingressLabel: string | null;
  numberRules: NumberRules | null;
  /** Null: the template's. */
  quirks: TrunkQuirks | null;
  credentials: Credentials | null;
  templateId?: number | null;
}

/** docs/requirements.md#limits */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** It begins as DRAFT. @throws 400 naming the field, 409 exists */
export async function createTrunk(ctx: OperatorCtx, input: NewTrunk): Promise<SipTrunk> {
  const { slug, name, ingressLabel } = input;
  if (!NAME.test(name)) {
    throw invalidField('name', 'name must be 1 to 64 letters, digits, dots, hyphens or underscores.');
  }
  assertSources(input.inboundSourceCidrs);
  if (ingressLabel !== null && !LABEL.test(ingressLabel)) {
    throw invalidField(
      'ingress_label',
      'ingress_label must contain only lowercase letters, digits and hyphens.',
    );
  }
  return inTransaction(ctx, async (inner) => {
    const consumer = slug === null ? null : await consumerOf(inner, slug);
    const template = await lockedTemplate(inner, input.templateId ?? null);
    const settings = settingsOf(
      {
        host: input.host,
        port: input.port,
        transport: input.transport,
        inboundSourceCidrs: [...input.inboundSourceCidrs],
        countryCode: input.numberRules?.countryCode ?? null,
        nationalPrefix: input.numberRules?.nationalPrefix ?? null,
        codecs: input.codecs ? [...input.codecs] : null,
        destinations: input.destinations ? [...input.destinations] : null,
        register: input.register ?? null,
        srtp: input.srtp ?? null,
        quirks: input.quirks,
        maxCalls: input.maxCalls ?? null,
        callsPerSecond: input.callsPerSecond ?? null,
        templateId: input.templateId ?? null,
        followTemplate: null,
      },
      template,
    );
    assertConsistent(settings);
    assertCanRegister(settings, input.credentials?.username ?? null);
    const trunk = await insertTrunk(inner, {
      consumer,
      name,
      ingressLabel,
      settings,
      techPrefixes: input.techPrefixes ?? null,
      credentials: input.credentials,
    });
    await auditAsOperator(inner, consumer, {
      action: 'trunk.create',
      target: String(trunk.id),
      details: { name: trunk.name, host: trunk.host },
    });
    return trunk;
  });
}

/** What is not given stays as it is. Addresses of its own end the following of a template. */
export interface TrunkChange extends CarrierChange {
  maxCalls?: number | null;
  callsPerSecond?: number | null;
  /** Null removes them. */
  techPrefixes?: TechPrefixes | null;
  credentials?: Credentials | null;
}

/** The operator may change a trunk in every status. @throws 404; 400 naming the field; 409 no_addresses, invalid_state */
export async function setTrunk(ctx: OperatorCtx, id: number, change: TrunkChange): Promise<SipTrunk> {
  const { inboundSourceCidrs: sources } = change;
  if (sources) assertSources(sources);
  return inTransaction(ctx, async (inner) => {
    const { db } = inner;
    await db.$queryRaw`select 1 from "SipTrunk" where "id" = ${id} for no key update`;
    const before = await db.sipTrunk.findUnique({ where: { id }, include: { consumer: true } });
    if (!before) throw notFound('The trunk');
    const settings = changed(before, change);
    assertConsistent(settings);
    const { credentials } = change;
    assertCanRegister(
      settings,
      credentials === undefined ? before.username : (credentials?.username ?? null),
    );
    const isLive = before.status === 'PENDING' || before.status === 'ACTIVE';
    if (isLive && settings.inboundSourceCidrs.length === 0) throw new ApiError('no_addresses');
    const trunk = await db.sipTrunk.update({
      where: { id },
      data: {
        ...columnsOf(settings),
        ...techPrefixColumn(change.techPrefixes),
        ...(credentials !== undefined && credentialColumns(inner, credentials)),
        // Its owner has not changed it after the review.
        updatedAt: before.updatedAt,
      },
    });
    if (sources) {
      await updateIngressHostOnly(inner, trunk, {
        ifImpossible: (message) => new ApiError('invalid_state', { message }),
      });
    }
    await auditAsOperator(inner, before.consumer, {
      action: 'trunk.set',
      target: String(id),
      details: { changed: Object.keys(change).join(', ') },
    });
    return db.sipTrunk.findUniqueOrThrow({ where: { id } });
  });
}

const changed = (before: SipTrunk, change: TrunkChange): TrunkSettings => {
  const { maxCalls = before.maxCalls, callsPerSecond = before.callsPerSecond, ...given } = change;
  const { techPrefixes: _, credentials: __, ...carrier } = given;
  return {
    ...changedCarrier(carrierSettingsOf(before), carrier),
    maxCalls,
    callsPerSecond,
    templateId: before.templateId,
    followTemplate: before.followTemplate && !change.inboundSourceCidrs,
  };
};
