import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { PricePlansPage } from './PricePlansPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Price plans' };

export default async function PricePlans() {
  await admit({ role: 'own', account: true });
  return <PricePlansPage />;
}
