import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { WebhookPage } from './WebhookPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Webhook' };

export default async function Webhook() {
  await admit({ role: 'own', account: true });
  return <WebhookPage />;
}
