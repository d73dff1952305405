import type { ButtonHTMLAttributes, Ref } from 'react';
import { classNames } from './class-names.ts';

export type ButtonTone = 'quiet' | 'accent' | 'positive' | 'negative';

const tones: Record<ButtonTone, string> = {
  quiet: 'bg-raised text-ink enabled:hover:bg-pressed',
  accent: 'bg-accent text-on-accent enabled:hover:opacity-90',
  positive: 'bg-positive text-on-positive enabled:hover:bg-positive-hover',
  negative: 'bg-negative text-on-negative enabled:hover:bg-negative-hover',
};

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: ButtonTone;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ tone = 'quiet', className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={classNames(
        'cl-focus inline-flex min-h-11 items-center justify-center gap-2 rounded-control px-4 text-base font-medium transition-colors disabled:opacity-50',
        tones[tone],
        className,
      )}
      {...rest}
    />
  );
}
