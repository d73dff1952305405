import type { Metadata } from 'next';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { AudioPage } from './AudioPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Audio' };

export default async function Audio({ params }: { params: Promise<{ tenantRef: string }> }) {
  const tenantRef = pathRef((await params).tenantRef);
  await admit({ role: 'view', tenantRef });
  return <AudioPage tenantRef={tenantRef} />;
}
