import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { FlowPage } from './FlowPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'IVR flow' };

export default async function Flow({ params }: { params: Promise<{ tenantRef: string; flowRef: string }> }) {
  const { tenantRef: tenant, flowRef: flow } = await params;
  const tenantRef = pathRef(tenant);
  const flowRef = pathRef(flow);
  await admit({ role: 'view', tenantRef });
  return <FlowPage key={`${tenantRef} ${flowRef}`} tenantRef={tenantRef} flowRef={flowRef} />;
}
