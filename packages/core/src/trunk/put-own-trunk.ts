/** Replaces the settings of a consumer's trunk, except its name. */
import { invalidField } from '@clarion/protocol';
import type { PutTrunk } from '@clarion/protocol/v1/tenant/trunk-body';
import type { OwnTrunkResource } from '@clarion/protocol/v1/tenant/trunks';
import type { SipTrunk } from '@clarion/db';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { assertPublicHosts, assertPublicSources } from './assert-reachable.ts';
import { lockedTemplate, templateOf } from './carrier-templates.ts';
import { credentialColumns } from './insert-trunk.ts';
import { presentOwnTrunk, withState } from './present.ts';
import { assertNotSuspended, assertSelfService, lockOwnTrunk, ownTrunkOf } from './self-service.ts';
import { updateIngressHostOnly } from './shared-sources.ts';
import {
  assertCanRegister,
  assertConsistent,
  columnsOf,
  settingsOf,
  techPrefixColumn,
} from './trunk-settings.ts';
import type { TrunkSettings } from './trunk-settings.ts';

/**
 * An ACTIVE trunk stays ACTIVE: the operator sees that it was changed after its review. Credentials and tech prefixes are kept unless
 * they are given.
 *
 * @throws 403 self_service_off; 404; 409 suspended; 400 naming the field
 */
export async function putOwnTrunk(ctx: Ctx, id: number, input: PutTrunk): Promise<OwnTrunkResource> {
  assertSelfService(ctx);
  const before = await ownTrunkOf(ctx, id);
  assertNotSuspended(before);
  const proposed = settingsOf(input, await templateOf(ctx, input.templateId));
  assertAllowed(before, input, proposed);
  assertPublicSources(input.sourceFields);
  await assertPublicHosts(proposed, ctx.settings);
  return inTransaction(ctx, async (inner) => {
    const { db } = inner;
    // The template before the trunk: a change of the template locks them in this order.
    const settings = settingsOf(input, await lockedTemplate(inner, input.templateId));
    const current = await lockOwnTrunk(inner, id);
    assertNotSuspended(current);
    assertAllowed(current, input, settings);
    const changed = await db.sipTrunk.update({
      where: { id },
      data: {
        ...columnsOf(settings),
        ...techPrefixColumn(input.techPrefixes),
        ...changedCredentials(inner, input),
      },
    });
    if (changed.inboundSourceCidrs.join() !== current.inboundSourceCidrs.join()) {
      await updateIngressHostOnly(inner, changed, {
        by: 'owner',
        ifImpossible: (message) => invalidField('inbound_source_cidrs', `inbound_source_cidrs: ${message}`),
      });
    }
    await audit(inner, {
      action: 'trunk.put',
      target: String(id),
      details: changesOf(current, settings, input),
    });
    const trunk = await db.sipTrunk.findUniqueOrThrow({ where: { id }, include: withState });
    return presentOwnTrunk(trunk, inner.settings.ingressDomain);
  });
}

/** Rules that depend on what the trunk is and keeps. */
function assertAllowed({ status, username }: SipTrunk, input: PutTrunk, settings: TrunkSettings): void {
  assertConsistent(settings);
  assertCanRegister(settings, input.credentials?.username ?? (input.clearCredentials ? null : username));
  if (settings.inboundSourceCidrs.length === 0 && (status === 'PENDING' || status === 'ACTIVE')) {
    throw invalidField(
      'inbound_source_cidrs',
      `inbound_source_cidrs is required, because the trunk is ${status}.`,
    );
  }
}

/** New ones replace those that are stored, also if both were to be cleared. */
const changedCredentials = (ctx: Ctx, { credentials, clearCredentials }: PutTrunk) =>
  credentials !== null || clearCredentials ? credentialColumns(ctx, credentials) : {};

/** For the operator, who may have approved other settings. */
const changesOf = (before: SipTrunk, { host, inboundSourceCidrs }: TrunkSettings, input: PutTrunk) => ({
  host,
  ...(host !== before.host && { hostBefore: before.host }),
  inboundSourceCidrs: inboundSourceCidrs.join(', '),
  ...(inboundSourceCidrs.join() !== before.inboundSourceCidrs.join() && {
    inboundSourceCidrsBefore: before.inboundSourceCidrs.join(', '),
  }),
  ...((input.credentials !== null || input.clearCredentials) && { credentials: 'changed' }),
});
