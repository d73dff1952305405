import type { Metadata } from 'next';
import { runtime } from '#lib/api/runtime.ts';
import { admit } from '#lib/session/admit.ts';
import { TrunkPage } from './TrunkPage.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'SIP trunk' };

export default async function Trunk({ params }: { params: Promise<{ trunkId: string }> }) {
  await admit({ role: 'provision', account: true });
  const { env } = runtime();
  const service = {
    address: env.CLARION_PUBLIC_IP || null,
    sipPort: env.CLARION_SIP_PORT,
    sipTlsPort: env.CLARION_SIP_TLS_PORT,
    rtpPorts: env.CLARION_RTP_PORTS,
  };
  return <TrunkPage trunkId={(await params).trunkId} service={service} />;
}
