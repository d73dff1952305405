import { randomUUID } from 'node:crypto';
import { insertInboundCall } from '@clarion/core/call-engine/begin';
import type { Web } from './support.ts';
import type { TenantFixture } from './tenant-fixture.ts';

/** A call to line `main` that waits in queue `support` and then in the `overflow` queues, as the engine creates it. Resolves with its ID. */
export async function inboundCall(
  web: Web,
  fixture: TenantFixture,
  at: Date,
  overflow: { id: number; ref: string }[] = [],
): Promise<number> {
  const { db } = web.runtime;
  const tenant = await db.tenant.findFirstOrThrow({
    where: { ref: 'shop', consumer: { slug: fixture.consumer.slug } },
  });
  const of = { tenantId: tenant.id };
  const queue = await db.queue.findFirstOrThrow({ where: { ...of, ref: 'support' } });
  const channel = await db.channel.findFirstOrThrow({ where: { ...of, ref: 'main' } });
  const stop = ({ id, ref }: { id: number; ref: string }) => ({
    queueId: id,
    ref,
    ringTimeoutSeconds: 20,
    maxWaitSeconds: 30,
    holdAudio: null,
    wrapUpSeconds: 0,
    announce: { position: false, wait: false, everySeconds: 60 },
    callbackKey: null,
    skillsWaitSeconds: null,
    answerWhileWaiting: false,
  });
  const { call } = await db.$transaction((tx) =>
    insertInboundCall(
      tx,
      {
        consumerId: tenant.consumerId,
        tenantId: tenant.id,
        channel: { id: channel.id, ref: channel.ref, type: 'SIP' },
        sipTrunkId: fixture.trunkId,
        customer: { address: '+442079460123', addressType: 'E164', name: null },
        record: false,
        pricing: { number: null, routes: [] },
        mediaPath: 'ROOM',
        inviteId: randomUUID(),
        mediaNodeId: 'm1',
        carrierLegId: 'leg',
        queue: { id: queue.id, ref: queue.ref },
        route: { kind: 'queue', stops: [queue, ...overflow].map(stop) },
        leaseNodeId: 'n1',
        lookup: false,
        maxCallSeconds: undefined,
      },
      at,
    ),
  );
  return call.id;
}
