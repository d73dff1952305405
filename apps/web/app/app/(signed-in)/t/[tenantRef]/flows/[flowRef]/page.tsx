import type { Metadata } from 'next';
import { admit } from '../../../../../../../lib/session/admit.ts';
import { FlowPage } from './FlowPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'IVR flow' };

export default async function Flow({ params }: { params: Promise<{ tenantRef: string; flowRef: string }> }) {
  const { tenantRef: tenant, flowRef: flow } = await params;
  const tenantRef = decodeURIComponent(tenant);
  const flowRef = decodeURIComponent(flow);
  await admit({ role: 'look', tenantRef });
  return <FlowPage key={`${tenantRef} ${flowRef}`} tenantRef={tenantRef} flowRef={flowRef} />;
}
