import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { currentMe } from '#lib/session/current.ts';
import { redirectToSignIn } from '#lib/session/to-sign-in.ts';
import { Shell } from './Shell.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: { default: 'Dashboard', template: '%s · Clarion' } };

/** The layout of every signed-in page. It enforces nothing: each page and `/v1` check the session themselves. */
export default async function SignedInLayout({ children }: { children: ReactNode }) {
  const me = await currentMe();
  if (me === null) return redirectToSignIn();
  return <Shell me={me}>{children}</Shell>;
}
