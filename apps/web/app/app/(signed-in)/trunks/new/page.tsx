import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { NewTrunkPage } from './NewTrunkPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Add a trunk' };

export default async function NewTrunk() {
  await admit({ role: 'provision', account: true });
  return <NewTrunkPage />;
}
