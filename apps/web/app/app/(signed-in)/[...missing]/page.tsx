import { notFound } from 'next/navigation.js';
import { admit } from '../../../../lib/session/admit.ts';

export const metadata = { title: 'Not found' };

/** Every other address below /app: said to be unknown within the frame, with the way back. */
export default async function Page() {
  await admit({ role: 'look' });
  notFound();
}
