/** Creates a trunk of the consumer with status DRAFT. */
import { ApiError } from '@clarion/protocol';
import type { CreateTrunk } from '@clarion/protocol/v1/tenant/trunk-body';
import type { OwnTrunkResource } from '@clarion/protocol/v1/tenant/trunks';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import type { Prepared } from '../prepared.ts';
import { assertPublicHosts, assertPublicSources } from './assert-reachable.ts';
import { lockedTemplate, templateOf } from './carrier-templates.ts';
import { insertTrunk } from './insert-trunk.ts';
import { presentOwnTrunk } from './present.ts';
import { assertSelfService } from './self-service.ts';
import { assertCanRegister, assertConsistent, settingsOf } from './trunk-settings.ts';

/** Serialises the trunks that an account creates, so that they do not exceed its limit. The second key is the account's ID. */
const LIMIT_LOCK = 1_903_266;

/**
 * The hosts are looked up before the transaction.
 *
 * @throws 403 self_service_off; 400 naming the field; 409 too_many_trunks, exists
 */
export async function createOwnTrunk(ctx: Ctx, input: CreateTrunk): Promise<Prepared<OwnTrunkResource>> {
  assertSelfService(ctx);
  const settings = settingsOf(input, await templateOf(ctx, input.templateId));
  assertConsistent(settings);
  assertCanRegister(settings, input.credentials?.username ?? null);
  assertPublicSources(input.sourceFields);
  await assertPublicHosts(settings, ctx.settings);
  return {
    discard: async () => undefined,
    commit: (committing) =>
      inTransaction(committing, async (inner) => {
        const { db, consumer } = inner;
        await db.$executeRaw`select pg_advisory_xact_lock(${LIMIT_LOCK}::int, ${consumer.id}::int)`;
        const count = await db.sipTrunk.count({ where: { consumerId: consumer.id } });
        if (count >= consumer.planTrunks) throw new ApiError('too_many_trunks');
        const trunk = await insertTrunk(inner, {
          consumer,
          name: input.name,
          ingressLabel: null,
          settings: settingsOf(input, await lockedTemplate(inner, input.templateId)),
          techPrefixes: input.techPrefixes ?? null,
          credentials: input.credentials,
        });
        await audit(inner, {
          action: 'trunk.create',
          target: String(trunk.id),
          details: { name: trunk.name, host: trunk.host },
        });
        return presentOwnTrunk({ ...trunk, state: null }, inner.settings.ingressDomain);
      }),
  };
}
