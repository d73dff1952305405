import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { AgentsPage } from './AgentsPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Agents' };

export default async function Agents({ params }: { params: Promise<{ tenantRef: string }> }) {
  const tenantRef = pathRef((await params).tenantRef);
  await admit({ role: 'view', tenantRef });
  return <AgentsPage tenantRef={tenantRef} />;
}
