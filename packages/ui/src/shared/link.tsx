'use client';

import {
  createContext,
  createElement,
  use,
  type AnchorHTMLAttributes,
  type ElementType,
  type ReactNode,
  type Ref,
} from 'react';

/** What renders a link: `'a'`, or a router's own component with the same props (`href`, `className`, `children`). */
export type LinkComponent = ElementType;

const LinkContext = createContext<LinkComponent>('a');

/** Every link below is rendered with `as`, so that pages say it once. A component's own `as` goes before. */
export function LinkProvider({ as, children }: { as: LinkComponent; children: ReactNode }) {
  return <LinkContext value={as}>{children}</LinkContext>;
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
  as: LinkComponent | undefined;
  ref?: Ref<HTMLAnchorElement>;
}

/** A link as the app around renders its links. */
export function Link({ as, ...rest }: LinkProps) {
  const around = use(LinkContext);
  return createElement(as ?? around, rest);
}
