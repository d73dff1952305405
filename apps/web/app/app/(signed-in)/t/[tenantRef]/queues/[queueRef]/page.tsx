import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { QueuePage } from './QueuePage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Queue' };

interface QueueProps {
  params: Promise<{ tenantRef: string; queueRef: string }>;
}

export default async function Queue({ params }: QueueProps) {
  const { tenantRef, queueRef } = await params;
  await admit({ role: 'view', tenantRef: pathRef(tenantRef) });
  return <QueuePage tenantRef={pathRef(tenantRef)} queueRef={pathRef(queueRef)} />;
}
