import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { LinesPage } from './LinesPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Lines' };

export default async function Lines({ params }: { params: Promise<{ tenantRef: string }> }) {
  const tenantRef = pathRef((await params).tenantRef);
  await admit({ role: 'view', tenantRef });
  return <LinesPage tenantRef={tenantRef} />;
}
