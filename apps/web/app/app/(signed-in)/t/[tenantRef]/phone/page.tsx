import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { PhonePage } from './PhonePage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Agent phone' };

export default async function AgentPhone({ params }: { params: Promise<{ tenantRef: string }> }) {
  const tenantRef = pathRef((await params).tenantRef);
  await admit({ role: 'manage', tenantRef });
  return <PhonePage tenantRef={tenantRef} />;
}
