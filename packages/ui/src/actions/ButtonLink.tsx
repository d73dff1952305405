'use client';

import type { AnchorHTMLAttributes, ReactNode } from 'react';
import { Link, type LinkComponent } from '../shared/link.tsx';
import { buttonClass, type ButtonSize, type ButtonTone } from './Button.tsx';

export interface ButtonLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
  as?: LinkComponent;
  tone?: ButtonTone;
  size?: ButtonSize;
  icon?: ReactNode;
}

/** A link that looks like a button. */
export function ButtonLink({
  as,
  tone = 'quiet',
  size = 'md',
  icon,
  className,
  children,
  ...rest
}: ButtonLinkProps) {
  return (
    <Link as={as} className={buttonClass(tone, size, className)} {...rest}>
      {icon}
      {children}
    </Link>
  );
}
