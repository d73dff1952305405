import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { NumbersPage } from './NumbersPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Numbers' };

export default async function Numbers() {
  await admit({ role: 'view' });
  return <NumbersPage />;
}
