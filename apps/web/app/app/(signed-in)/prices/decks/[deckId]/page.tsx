import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { DeckPage } from './DeckPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Rate deck' };

export default async function Deck({ params }: { params: Promise<{ deckId: string }> }) {
  await admit({ role: 'own', account: true });
  return <DeckPage deckId={(await params).deckId} />;
}
