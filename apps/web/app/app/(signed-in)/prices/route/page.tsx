import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { RoutePage } from './RoutePage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Route preview' };

export default async function RoutePreview() {
  await admit({ role: 'own', account: true });
  return <RoutePage />;
}
