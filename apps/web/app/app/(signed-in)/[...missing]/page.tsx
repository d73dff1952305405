import { notFound } from 'next/navigation.js';
import { admit } from '#lib/session/admit.ts';

export const metadata = { title: 'Not found' };

/** Every other URL below /app: the dashboard's not-found page. */
export default async function Page() {
  await admit({ role: 'view' });
  notFound();
}
