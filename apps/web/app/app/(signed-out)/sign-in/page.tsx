import { redirect } from 'next/navigation.js';
import { currentSession } from '../../../../lib/session/current.ts';
import { SignInPage } from './SignInPage.tsx';

export const metadata = { title: 'Sign in' };

export default async function Page() {
  if (await currentSession()) redirect('/app');
  return <SignInPage />;
}
