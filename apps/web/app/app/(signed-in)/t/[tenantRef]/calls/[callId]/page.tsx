import type { Metadata } from 'next';
import { notFound } from 'next/navigation.js';
import { admit } from '#lib/session/admit.ts';
import { pathRef } from '#lib/session/path-ref.ts';
import { CallPage } from './CallPage.tsx';

export const dynamic = 'force-dynamic';

interface Props {
  params: Promise<{ tenantRef: string; callId: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Call ${(await params).callId}` };
}

export default async function Call({ params }: Props) {
  const { tenantRef: encoded, callId } = await params;
  const tenantRef = pathRef(encoded);
  await admit({ role: 'view', tenantRef });
  if (!/^[1-9]\d{0,9}$/.test(callId)) notFound();
  return <CallPage tenantRef={tenantRef} callId={Number(callId)} />;
}
