import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { FlowsPage } from './FlowsPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'IVR flows' };

export default async function Flows({ params }: { params: Promise<{ tenantRef: string }> }) {
  const tenantRef = pathRef((await params).tenantRef);
  await admit({ role: 'view', tenantRef });
  return <FlowsPage tenantRef={tenantRef} />;
}
