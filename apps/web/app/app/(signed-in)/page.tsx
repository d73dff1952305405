import { demo } from '@clarion/core/demo-account';
import type { Metadata } from 'next';
import { runtime } from '#lib/api/runtime.ts';
import { admit } from '#lib/session/admit.ts';
import { HomePage } from './HomePage.tsx';

export const metadata: Metadata = { title: 'Home' };

export default async function Page() {
  const { consumer } = await admit({ role: 'view' });
  const { CLARION_DEMO, CLARION_META_SIMULATOR, CLARION_META_SIMULATOR_CONTROL_PORT: port } = runtime().env;
  const isDemo = CLARION_DEMO && consumer.slug === demo.slug;
  const customerPage = CLARION_META_SIMULATOR ? `http://127.0.0.1:${port}/` : null;
  return <HomePage demo={isDemo ? { number: demo.lines.support.address, customerPage } : null} />;
}
