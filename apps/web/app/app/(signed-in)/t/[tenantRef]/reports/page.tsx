import type { Metadata } from 'next';
import { admit } from '../../../../../../lib/session/admit.ts';
import { ReportsPage } from './ReportsPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Reports' };

export default async function Reports({ params }: { params: Promise<{ tenantRef: string }> }) {
  const tenantRef = decodeURIComponent((await params).tenantRef);
  await admit({ role: 'supervise', tenantRef });
  return <ReportsPage tenantRef={tenantRef} />;
}
