import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { PlanPage } from './PlanPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Price plan' };

export default async function PricePlan({ params }: { params: Promise<{ planId: string }> }) {
  await admit({ role: 'own', account: true });
  return <PlanPage planId={(await params).planId} />;
}
