import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { LivePage } from './LivePage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Live board' };

export default async function Live({ params }: { params: Promise<{ tenantRef: string }> }) {
  const tenantRef = pathRef((await params).tenantRef);
  await admit({ role: 'view', tenantRef });
  return <LivePage tenantRef={tenantRef} />;
}
