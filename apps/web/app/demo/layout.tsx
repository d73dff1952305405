import { notFound } from 'next/navigation.js';
import type { ReactNode } from 'react';
import { runtime } from '#lib/api/runtime.ts';

export const dynamic = 'force-dynamic';

/** Without the demo account, the demo pages are not found. */
export default function DemoLayout({ children }: { children: ReactNode }): ReactNode {
  if (!runtime().env.CLARION_DEMO) notFound();
  return children;
}
