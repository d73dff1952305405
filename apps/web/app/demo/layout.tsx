import { notFound } from 'next/navigation.js';
import type { ReactNode } from 'react';
import { runtime } from '../../lib/api/runtime.ts';

export const dynamic = 'force-dynamic';

/** Without the demo account its pages are no pages. */
export default function DemoLayout({ children }: { children: ReactNode }): ReactNode {
  if (!runtime().env.CLARION_DEMO) notFound();
  return children;
}
