import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { UsagePage } from './UsagePage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Usage' };

export default async function Usage() {
  await admit({ role: 'own', account: true });
  return <UsagePage />;
}
