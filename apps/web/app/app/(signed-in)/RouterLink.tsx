'use client';

import Link, { useLinkStatus } from 'next/link.js';
import type { ComponentProps } from 'react';

/** The dashboard's link: a bar at the top of the window says that the page it leads to is on its way. */
export const RouterLink = ({ children, ...rest }: ComponentProps<typeof Link>) => (
  <Link {...rest}>
    {children}
    <Pending />
  </Link>
);

/** No `loading.tsx`: with it a page that somebody may not see would answer 200, its refusal being streamed after the frame. */
function Pending() {
  const { pending } = useLinkStatus();
  return pending ? <span aria-hidden className="page-pending" /> : null;
}
