/** One consumer of a fuzz run: its fixture, what its requests can refer to, and how the fixture is restored. */
import { Readable } from 'node:stream';
import { registry } from '@clarion/protocol/v1/registry';
import { call } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import { createPools } from './pools.ts';
import type { Pools } from './pools.ts';

/** The number of audio assets a lane starts with: each starts a process. */
const AUDIO_ASSETS = 2;
/** The service's clock advances by this for the requests that restore a fixture, so that none is rate limited. */
const UPKEEP_MS = 500;
const moveOn = (web: Web) => web.setNow(new Date(web.runtime.now().getTime() + UPKEEP_MS));

export interface Lane {
  key: string;
  consumerId: number;
  trunkId: number;
  pools: Pools;
}

export async function openLane(web: Web, slug: string): Promise<Lane> {
  const fixture = await createTenantFixture(web, slug);
  const { db } = web.runtime;
  const consumerId = fixture.consumer.id;
  const own = await db.apiKey.findFirstOrThrow({ where: { consumerId } });
  const pools = createPools(
    {
      tenantRef: ['shop'],
      agentRef: ['ada', 'ada', 'ben', 'ben', 'cyd'],
      queueRef: ['support', 'sales'],
      channelRef: ['main', 'main', 'main', 'second'],
      flowRef: ['welcome'],
      deviceId: ['phone-1', 'tab 2'],
      provider: ['fcm', 'apns', 'onesignal'],
      trunkId: [fixture.trunkId],
    },
    // A lane that revoked its own key ends.
    new Set([`apiKeyId=${own.id}`]),
  );
  return { key: fixture.key, consumerId, trunkId: fixture.trunkId, pools };
}

/** Restores what requests deleted or suspended, so that later requests find enough data. */
export async function putBack(web: Web, { key, trunkId, pools }: Lane): Promise<void> {
  moveOn(web);
  const path = { tenantRef: 'shop' };
  await call('putTenant', { key, path, body: { name: 'Shop', settings: {} } });
  for (const agentRef of ['ada', 'ben']) {
    await call('putAgent', { key, path: { ...path, agentRef }, body: { name: agentRef } });
  }
  for (const queueRef of ['support', 'sales']) {
    const members = [{ agent_ref: 'ada' }, { agent_ref: 'ben' }];
    const put = await call('putQueue', {
      key,
      path: { ...path, queueRef },
      body: { name: queueRef, members },
    });
    if (put.error === null) pools.harvest(put.json);
  }
  const { example } = registry.createAudioAsset;
  const wanted = (pools.known.get('audioAssetId')?.length ?? 0) < AUDIO_ASSETS;
  const audio = wanted ? await call('createAudioAsset', { key, path, body: example.body }) : undefined;
  if (audio?.error === null) pools.harvest(audio.json);
  const line = { type: 'SIP', address: '+442071838999', sip_trunk_id: trunkId, inbound_queue_ref: 'support' };
  await call('putChannel', { key, path: { ...path, channelRef: 'main' }, body: line });
}

/** An ended call with a recording that can be downloaded. */
export async function plantRecording(web: Web, { key, pools }: Lane): Promise<void> {
  moveOn(web);
  const path = { tenantRef: 'shop' };
  const body = { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442071838777' } };
  const created = await call('createCall', { key, path, body });
  if (created.error !== null) return;
  const { callId } = created.json.call;
  await call('terminateCall', { key, path: { callId } });
  const { db, store } = web.runtime;
  const { provider, key: storageKey } = await store.put(
    `recordings/${callId}.ogg`,
    Readable.from('sound'),
    5,
  );
  await db.recording.create({
    data: {
      callId,
      status: 'COMPLETED',
      storageProvider: provider,
      storageKey,
      durationSeconds: 1,
      completedAt: web.runtime.now(),
    },
  });
  pools.add('callId', callId);
}
