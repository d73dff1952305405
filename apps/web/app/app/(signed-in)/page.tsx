import { demo } from '@clarion/core/demo-account';
import type { Metadata } from 'next';
import { runtime } from '#lib/api/runtime.ts';
import { customerPage } from '#lib/demo.ts';
import { admit } from '#lib/session/admit.ts';
import { HomePage } from './HomePage.tsx';

export const metadata: Metadata = { title: 'Home' };

export default async function Page() {
  const { consumer } = await admit({ role: 'view' });
  const isDemo = runtime().env.CLARION_DEMO && consumer.slug === demo.slug;
  const calls = { number: demo.lines.support.address, customerPage: customerPage() };
  return <HomePage demo={isDemo ? calls : null} />;
}
