import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { ImportPage } from './ImportPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Import rates' };

export default async function ImportRates({ params }: { params: Promise<{ deckId: string }> }) {
  await admit({ role: 'own', account: true });
  return <ImportPage deckId={(await params).deckId} />;
}
