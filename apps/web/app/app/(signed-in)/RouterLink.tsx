'use client';

import Link, { useLinkStatus } from 'next/link.js';
import type { ComponentProps } from 'react';

/** The dashboard's link. A progress bar at the top of the window shows that its page is loading. */
export const RouterLink = ({ children, ...rest }: ComponentProps<typeof Link>) => (
  <Link {...rest}>
    {children}
    <Pending />
  </Link>
);

/** Instead of a `loading.tsx`, which would send the status 200 before a page has checked whether the user may see it. */
function Pending() {
  const { pending } = useLinkStatus();
  return pending ? <span aria-hidden className="page-pending" /> : null;
}
