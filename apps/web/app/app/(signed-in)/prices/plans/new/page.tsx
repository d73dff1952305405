import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { NewPlanPage } from './NewPlanPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'New price plan' };

export default async function NewPlan() {
  await admit({ role: 'own', account: true });
  return <NewPlanPage />;
}
