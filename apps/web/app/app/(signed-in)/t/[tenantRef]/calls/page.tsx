import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { CallsPage } from './CallsPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Calls' };

export default async function Calls({ params }: { params: Promise<{ tenantRef: string }> }) {
  const tenantRef = pathRef((await params).tenantRef);
  await admit({ role: 'view', tenantRef });
  return <CallsPage tenantRef={tenantRef} />;
}
