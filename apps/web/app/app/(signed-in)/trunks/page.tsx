import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { TrunksPage } from './TrunksPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'SIP trunks' };

export default async function Trunks() {
  await admit({ role: 'provision', account: true });
  return <TrunksPage />;
}
