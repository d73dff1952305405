import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { PushPage } from './PushPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Push' };

export default async function Push() {
  await admit({ role: 'own', account: true });
  return <PushPage />;
}
