import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { RecordingPage } from './RecordingPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Recording' };

export default async function Recording() {
  await admit({ role: 'own', account: true });
  return <RecordingPage />;
}
