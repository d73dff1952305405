import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { TenantsPage } from './TenantsPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Tenants' };

export default async function Tenants() {
  await admit({ role: 'view', account: true });
  return <TenantsPage />;
}
