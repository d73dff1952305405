import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { EmbedPage } from './EmbedPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Embedding' };

export default async function Embed() {
  await admit({ role: 'own', account: true });
  return <EmbedPage />;
}
