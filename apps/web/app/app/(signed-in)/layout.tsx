import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { currentMe } from '../../../lib/session/current.ts';
import { redirectToSignIn } from '../../../lib/session/to-sign-in.ts';
import { Shell } from './Shell.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: { default: 'Dashboard', template: '%s · Clarion' } };

/** The frame around every page of somebody who is signed in. It protects nothing: each page asks for itself, and so does `/v1`. */
export default async function SignedInLayout({ children }: { children: ReactNode }) {
  const me = await currentMe();
  if (me === null) return redirectToSignIn();
  return <Shell me={me}>{children}</Shell>;
}
