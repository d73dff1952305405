'use client';

import type { AnchorHTMLAttributes } from 'react';
import { classNames } from '../shared/class-names.ts';
import { Link, type LinkComponent } from '../shared/link.tsx';

export interface TextLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
  as?: LinkComponent;
}

/** A link within text. */
export function TextLink({ as, className, ...rest }: TextLinkProps) {
  return (
    <Link
      as={as}
      className={classNames(
        'cl-focus rounded-sm text-accent underline decoration-1 underline-offset-3 hover:decoration-2',
        className,
      )}
      {...rest}
    />
  );
}
