import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classNames } from '../shared/class-names.ts';
import { Spinner } from '../shared/Spinner.tsx';

export type ButtonTone = 'quiet' | 'accent' | 'positive' | 'negative' | 'plain';
/** `lg` is for the phone and for pages with a single action; `sm` is for rows and toolbars. */
export type ButtonSize = 'lg' | 'md' | 'sm';

const tones: Record<ButtonTone, string> = {
  quiet: 'bg-raised text-ink enabled:hover:bg-pressed [a&]:hover:bg-pressed',
  accent: 'bg-accent text-on-accent enabled:hover:opacity-90 [a&]:hover:opacity-90',
  positive: 'bg-positive text-on-positive enabled:hover:bg-positive-hover',
  negative: 'bg-negative text-on-negative enabled:hover:bg-negative-hover',
  plain: 'text-ink enabled:hover:bg-raised [a&]:hover:bg-raised',
};

const sizes: Record<ButtonSize, string> = {
  lg: 'min-h-11 gap-2 px-4 text-base',
  md: 'min-h-9 gap-2 px-3.5 text-md pointer-coarse:min-h-11',
  sm: 'min-h-8 gap-1.5 px-2.5 text-sm pointer-coarse:min-h-11',
};

/** The classes of a button, for any element. */
export function buttonClass(tone: ButtonTone, size: ButtonSize, className?: string): string {
  // On the phone, quiet buttons contrast with the surface. A page has their colour, so there they need a hairline.
  const look =
    tone === 'quiet' && size !== 'lg'
      ? 'border border-line bg-surface text-ink enabled:hover:bg-raised [a&]:hover:bg-raised'
      : tones[tone];
  return classNames(
    'cl-focus inline-flex shrink-0 items-center justify-center rounded-control text-center font-medium transition-colors disabled:opacity-50 [&_svg]:shrink-0',
    look,
    sizes[size],
    className,
  );
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: ButtonTone;
  size?: ButtonSize;
  /** Work is in progress: the button shows it, ignores further presses and keeps the focus. */
  busy?: boolean;
  icon?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({
  tone = 'quiet',
  size = 'md',
  busy = false,
  icon,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={buttonClass(tone, size, classNames(busy && 'cursor-progress opacity-70', className))}
      {...rest}
      {...(busy && { 'aria-busy': true, 'aria-disabled': true })}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}
