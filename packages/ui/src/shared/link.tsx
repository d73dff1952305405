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

/** The element that renders a link: `'a'`, or a router's component with the same props (`href`, `className`, `children`). */
export type LinkComponent = ElementType;

const LinkContext = createContext<LinkComponent>('a');

/** Renders every link below it with `as`. The `as` prop of a component takes precedence. */
export function LinkProvider({ as, children }: { as: LinkComponent; children: ReactNode }) {
  return <LinkContext value={as}>{children}</LinkContext>;
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
  as: LinkComponent | undefined;
  ref?: Ref<HTMLAnchorElement>;
}

/** A link rendered by the component of the nearest `LinkProvider`. */
export function Link({ as, ...rest }: LinkProps) {
  const around = use(LinkContext);
  return createElement(as ?? around, rest);
}
