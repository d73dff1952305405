'use client';

import { createContext, use, type ElementType, type ReactNode } from 'react';

/** What renders a link: `'a'`, or a router's own component with the same props (`href`, `className`, `children`). */
export type LinkComponent = ElementType;

const LinkContext = createContext<LinkComponent>('a');

/** Every link below is rendered with `as`, so that pages say it once. A component's own `as` goes before. */
export function LinkProvider({ as, children }: { as: LinkComponent; children: ReactNode }) {
  return <LinkContext value={as}>{children}</LinkContext>;
}

export function useLink(as: LinkComponent | undefined): LinkComponent {
  const around = use(LinkContext);
  return as ?? around;
}
