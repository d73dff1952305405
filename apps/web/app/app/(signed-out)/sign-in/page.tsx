import { redirect } from 'next/navigation.js';
import { runtime } from '#lib/api/runtime.ts';
import { currentSession } from '#lib/session/current.ts';
import { pageAfter } from '#lib/session/page-after.ts';
import { SignInPage } from './SignInPage.tsx';

export const metadata = { title: 'Sign in' };

export default async function Page({
  searchParams,
}: {
  searchParams: Promise<{ next?: string | string[] }>;
}) {
  const next = pageAfter((await searchParams).next);
  if (await currentSession()) redirect(next);
  return <SignInPage next={next} demo={runtime().env.CLARION_DEMO} />;
}
