import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { BillingPage } from './BillingPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Billing' };

export default async function Billing({ params }: { params: Promise<{ tenantRef: string }> }) {
  const tenantRef = pathRef((await params).tenantRef);
  await admit({ role: 'own', launchedRole: 'view', tenantRef });
  return <BillingPage tenantRef={tenantRef} />;
}
