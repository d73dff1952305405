import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { ReportsPage } from './ReportsPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Reports' };

export default async function Reports({ params }: { params: Promise<{ tenantRef: string }> }) {
  const tenantRef = pathRef((await params).tenantRef);
  await admit({ role: 'supervise', tenantRef });
  return <ReportsPage tenantRef={tenantRef} />;
}
