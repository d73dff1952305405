import { redirect } from 'next/navigation.js';
import { admit } from '#lib/session/admit.ts';
import { TwoFactorPage } from './TwoFactorPage.tsx';

export const metadata = { title: 'Set up two-factor authentication' };

/** Shown first to users who must set up two-factor authentication. */
export default async function Page() {
  const { needsTwoFactor } = await admit({ role: 'view', account: true, beforeTwoFactor: true });
  if (!needsTwoFactor) redirect('/app');
  return <TwoFactorPage />;
}
