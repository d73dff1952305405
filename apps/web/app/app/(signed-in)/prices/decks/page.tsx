import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { DecksPage } from './DecksPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Rate decks' };

export default async function Decks() {
  await admit({ role: 'own', account: true });
  return <DecksPage />;
}
