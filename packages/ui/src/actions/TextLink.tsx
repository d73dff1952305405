'use client';

import type { AnchorHTMLAttributes } from 'react';
import { classNames } from '../shared/class-names.ts';
import { useLink, type LinkComponent } from '../shared/link.tsx';

export interface TextLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
  as?: LinkComponent;
}

/** A link within words. */
export function TextLink({ as, className, ...rest }: TextLinkProps) {
  const Link = useLink(as);
  return (
    <Link
      className={classNames(
        'cl-focus rounded-sm text-accent underline decoration-1 underline-offset-3 hover:decoration-2',
        className,
      )}
      {...rest}
    />
  );
}
