/** A consumer with a tenant that has what most tests need: two agents, a queue, a trunk and a shared line. */
import type { CreatedConsumer } from '@clarion/core/consumer/create-consumer';
import { call } from './support.ts';
import type { Web } from './support.ts';

export interface TenantFixture extends CreatedConsumer {
  key: string;
  /** An ACTIVE platform trunk. */
  trunkId: number;
  /** Creates or replaces a SIP line on the trunk. */
  putLine(ref: string, address: string, more?: Record<string, unknown>): Promise<number>;
}

let labels = 0;
export async function platformTrunk(web: Web, name: string): Promise<number> {
  labels += 1;
  const { id } = await web.runtime.db.sipTrunk.create({
    data: { name, status: 'ACTIVE', host: '203.0.113.5', ingressLabel: `t${labels}` },
  });
  return id;
}

/** Tenant `shop` with agents `ada` and `ben`, queue `support` and line `main`. */
export async function createTenantFixture(web: Web, slug: string): Promise<TenantFixture> {
  const consumer = await web.consumer(slug);
  const key = consumer.apiKey;
  const tenantRef = 'shop';
  await call('putTenant', { key, path: { tenantRef }, body: { name: 'Shop' } });
  for (const agentRef of ['ada', 'ben']) {
    await call('putAgent', { key, path: { tenantRef, agentRef }, body: { name: agentRef } });
  }
  await call('putQueue', {
    key,
    path: { tenantRef, queueRef: 'support' },
    body: { name: 'Support', members: [{ agent_ref: 'ada' }, { agent_ref: 'ben', priority: 2 }] },
  });
  const trunkId = await platformTrunk(web, `trunk-${slug}`);
  const putLine = async (ref: string, address: string, more: Record<string, unknown> = {}) => {
    const { json } = await call('putChannel', {
      key,
      path: { tenantRef, channelRef: ref },
      body: { type: 'SIP', address, sip_trunk_id: trunkId, ...more },
    });
    return json.channel.id;
  };
  await putLine('main', '+442071838750', { inbound_queue_ref: 'support' });
  return { ...consumer, key, trunkId, putLine };
}
