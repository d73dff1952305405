import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { QueuesPage } from './QueuesPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Queues' };

export default async function Queues({ params }: { params: Promise<{ tenantRef: string }> }) {
  const tenantRef = pathRef((await params).tenantRef);
  await admit({ role: 'view', tenantRef });
  return <QueuesPage tenantRef={tenantRef} />;
}
