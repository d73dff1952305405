import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { KeysPage } from './KeysPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Keys' };

export default async function Keys() {
  await admit({ role: 'own', account: true });
  return <KeysPage />;
}
