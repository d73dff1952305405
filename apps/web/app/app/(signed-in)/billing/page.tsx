import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { AccountBillingPage } from './AccountBillingPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Account billing' };

export default async function AccountBilling() {
  await admit({ role: 'own', account: true });
  return <AccountBillingPage />;
}
