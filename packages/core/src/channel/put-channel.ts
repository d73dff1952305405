/** Creates or replaces a line, under the six rules of docs/requirements.md#lines. */
import type { SipTrunk, Tenant } from '@clarion/db';
import { invalidField } from '@clarion/protocol';
import type { ChannelResource, PutChannel } from '@clarion/protocol/v1/tenant/channels';
import { MAX_INTEGER } from '@clarion/protocol/v1/fields/fields';
import { findAgent } from '../agent/agent-of.ts';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { toE164 } from '../numbers/trunk-numbers.ts';
import { findQueue } from '../queue/queue-of.ts';
import { findTrunk } from '../trunk/find-trunks.ts';
import { hasNumberFromSameSources } from '../trunk/shared-sources.ts';
import { violatedConstraint } from '../violated-constraint.ts';
import { assignNumber, releaseNumber } from './assign-number.ts';
import { channelOf, findChannel } from './channel-of.ts';
import { lockTenant } from './lock-tenant.ts';
import { presentChannel } from './present.ts';

/** @throws 400 naming the field whose rule is broken or whose ref does not exist */
export async function putChannel(
  ctx: Ctx,
  tenantRef: string,
  ref: string,
  input: PutChannel,
): Promise<ChannelResource> {
  const address = addressOf(input);
  return translating(address, () =>
    inTransaction(ctx, async (inner) => {
      const { db } = inner;
      const tenant = await lockTenant(inner, tenantRef);
      const given = await trunkOf(inner, 'sip_trunk_id', input.sipTrunkId);
      const trunk = input.type === 'SIP' ? given : null; // a WhatsApp line has none
      const backup = await trunkOf(inner, 'backup_sip_trunk_id', input.backupSipTrunkId);
      const { inboundQueueId, ownerAgentId } = await routeOf(inner, tenant, input);
      await assertUnclaimed(inner, tenant, ref, { ...input, address }, trunk);
      const changed = {
        type: input.type,
        displayName: input.displayName,
        address,
        providerAccountId: input.providerAccountId,
        sipTrunkId: trunk?.id ?? null,
        backupSipTrunkId: backup?.id ?? null,
        leastCostRouting: input.leastCostRouting,
        marginGuard: input.marginGuard,
        inboundQueueId,
        ownerAgentId,
        ringTimeoutSeconds: input.ringTimeoutSeconds,
        recordingEnabled: input.recordingEnabled,
        status: input.status,
        ...sealed(inner, input.credentials),
      };
      const channel = await db.channel.upsert({
        where: { tenantId_ref: { tenantId: tenant.id, ref } },
        create: { tenantId: tenant.id, ref, ...changed },
        update: changed,
      });
      await (trunk ? assignNumber(inner, tenant, channel, trunk) : releaseNumber(inner, channel.id));
      await audit(inner, {
        action: 'channel.put',
        target: ref,
        tenantId: tenant.id,
        details: { type: input.type, address, status: input.status },
      });
      return presentChannel(await channelOf(inner, tenant, ref), tenant, inner.consumer);
    }),
  );
}

/** A SIP line's DID is stored in E.164 (rule 1); a WhatsApp number as given, without spaces and a leading 00. */
function addressOf({ type, address }: PutChannel): string {
  if (type !== 'SIP') {
    const number = /^(\+|00)?(\d+)$/.exec(address.replaceAll(/[\s().-]/g, ''));
    return number ? (number[1] ? '+' : '') + number[2] : address;
  }
  const number = toE164(address, null);
  if (number === null) {
    throw invalidField('address', 'address must be an international number such as +442071838750.');
  }
  return number;
}

const noTrunk = (field: 'sip_trunk_id' | 'backup_sip_trunk_id') =>
  invalidField(field, `${field} must be the ID of a trunk listed by GET /v1/sip-trunks.`);

/** The trunk may have any status: a line can be assigned to a trunk that is not live yet. */
async function trunkOf(
  ctx: Ctx,
  field: Parameters<typeof noTrunk>[0],
  id: number | null,
): Promise<SipTrunk | null> {
  if (id === null) return null;
  const possible = id > 0 && id <= MAX_INTEGER;
  const trunk = possible ? await findTrunk(ctx, id) : null;
  if (!trunk) throw noTrunk(field);
  return trunk;
}

async function routeOf(ctx: Ctx, tenant: Tenant, { inboundQueueRef, ownerAgentRef }: PutChannel) {
  const queue = inboundQueueRef === null ? null : await findQueue(ctx, tenant, inboundQueueRef);
  if (inboundQueueRef !== null && !queue) {
    throw invalidField('inbound_queue_ref', `inbound_queue_ref: the tenant has no queue ${inboundQueueRef}.`);
  }
  const owner = ownerAgentRef === null ? null : await findAgent(ctx, tenant, ownerAgentRef);
  if (ownerAgentRef !== null && !owner) {
    throw invalidField('owner_agent_ref', `owner_agent_ref: the tenant has no agent ${ownerAgentRef}.`);
  }
  return { inboundQueueId: queue?.id ?? null, ownerAgentId: owner?.id ?? null };
}

const addressTaken = (address: string) =>
  invalidField('address', `address: ${address} already belongs to another line.`);
const accountTaken = () =>
  invalidField('provider_account_id', 'provider_account_id already belongs to another line.');

/**
 * One line per number and trunk, per WhatsApp number and per provider account, across all tenants (rule 2). Among trunks with the same
 * source addresses, a number belongs to one tenant.
 */
async function assertUnclaimed(
  ctx: Ctx,
  tenant: Tenant,
  ref: string,
  line: PutChannel,
  trunk: SipTrunk | null,
): Promise<void> {
  const { db } = ctx;
  const own = await findChannel(ctx, tenant, ref);
  const others = { NOT: { id: own?.id ?? 0 } };
  const { type, address, providerAccountId, sipTrunkId } = line;
  const digits = address.replace(/^\+/, '');
  const twin = await db.channel.findFirst({
    where:
      type === 'SIP'
        ? { ...others, sipTrunkId, address }
        : { ...others, type, address: { in: [digits, `+${digits}`] } },
    select: { id: true },
  });
  if (twin) throw addressTaken(address);
  // A line that keeps its number and trunk can be changed, even if an older release assigned the number to two tenants.
  const kept = own?.address === address && own.sipTrunkId === sipTrunkId;
  if (trunk && !kept) {
    const claim = { trunk, tenantId: tenant.id, number: address };
    if (await hasNumberFromSameSources(db, claim)) throw addressTaken(address);
  }
  if (providerAccountId === null) return;
  const rival = await db.channel.findFirst({ where: { ...others, providerAccountId }, select: { id: true } });
  if (rival) throw accountTaken();
}

/** Omitted: kept. Null: cleared. */
function sealed({ secrets }: Ctx, credentials: PutChannel['credentials']) {
  if (credentials === undefined) return {};
  return {
    credentialsSealed:
      credentials === null ? null : secrets.seal('channel-credentials', JSON.stringify(credentials)),
  };
}

/** Two concurrent changes may both pass the checks; a constraint rejects the second. */
async function translating<T>(address: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    switch (violatedConstraint(error)) {
      case 'Channel_providerAccountId_key':
        throw accountTaken();
      case 'Channel_sipTrunkId_address_key':
      case 'Channel_whatsapp_address_key':
        throw addressTaken(address);
      case 'Channel_sipTrunkId_fkey':
        throw noTrunk('sip_trunk_id');
      case 'Channel_backupSipTrunkId_fkey':
        throw noTrunk('backup_sip_trunk_id');
      case 'Channel_inboundQueueId_fkey':
        throw invalidField('inbound_queue_ref', 'inbound_queue_ref: the queue has just been deleted.');
      default:
        throw error;
    }
  }
}
