'use client';

import type { ReactNode } from 'react';
import { Tooltip } from '../feedback/Tooltip.tsx';
import { classNames } from '../shared/class-names.ts';
import { Button, type ButtonProps } from './Button.tsx';

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  /** Its accessible name, shown on hover and focus. */
  label: string;
  icon: ReactNode;
}

export function IconButton({
  label,
  icon,
  tone = 'plain',
  size = 'md',
  className,
  ...rest
}: IconButtonProps) {
  const square = { lg: 'w-11', md: 'w-9', sm: 'w-8' }[size];
  return (
    <Tooltip text={label}>
      <Button
        tone={tone}
        size={size}
        aria-label={label}
        icon={icon}
        className={classNames('px-0! pointer-coarse:w-11 [&_svg]:size-4.5', square, className)}
        {...rest}
      />
    </Tooltip>
  );
}
