import { notFound } from 'next/navigation.js';
import { admit } from '#lib/session/admit.ts';

export const metadata = { title: 'Not found' };

/** Every other address below /app: the not-found page within the dashboard. */
export default async function Page() {
  await admit({ role: 'view' });
  notFound();
}
