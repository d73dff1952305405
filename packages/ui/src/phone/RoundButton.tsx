import type { ReactNode, Ref } from 'react';
import { classNames } from '../shared/class-names.ts';

interface RoundButtonProps {
  icon: ReactNode;
  /** Shown below the button; its accessible name. */
  label: string;
  tone?: 'quiet' | 'positive' | 'negative';
  large?: boolean;
  /** Set for a toggle button. */
  pressed?: boolean;
  /** The key that does the same while the phone has the focus. */
  shortcut?: string;
  /** A longer accessible name, used instead of the label. */
  hint?: string;
  disabled?: boolean;
  pulsing?: boolean;
  className?: string;
  onPress(): void;
  ref?: Ref<HTMLButtonElement>;
}

const tones = {
  quiet: 'bg-raised text-ink group-enabled:group-hover:bg-pressed',
  /** A pressed button stays dark on hover: a lighter one would look disabled. */
  pressed: 'bg-ink text-surface',
  positive: 'bg-positive text-on-positive group-enabled:group-hover:bg-positive-hover',
  negative: 'bg-negative text-on-negative group-enabled:group-hover:bg-negative-hover',
};

/** A round button with its label below, as on mobile phones. */
export function RoundButton(props: RoundButtonProps) {
  const {
    icon,
    label,
    tone = 'quiet',
    large = false,
    pressed,
    shortcut,
    hint,
    disabled,
    pulsing,
    className,
    onPress,
    ref,
  } = props;
  return (
    <button
      ref={ref}
      type="button"
      className={classNames(
        'group flex min-w-20 flex-col items-center gap-1.5 rounded-control p-1 text-sm font-medium text-ink outline-hidden disabled:opacity-45',
        className,
      )}
      aria-pressed={pressed}
      aria-keyshortcuts={shortcut}
      aria-label={hint}
      title={shortcut ? `${hint ?? label} (${shortcut})` : hint}
      disabled={disabled}
      onClick={onPress}
    >
      <span
        className={classNames(
          'grid place-items-center rounded-full outline-2 outline-offset-3 outline-transparent transition-colors group-focus-visible:outline-accent',
          large ? 'size-17' : 'size-12',
          tones[pressed === true ? 'pressed' : tone],
          pulsing && 'cl-pulse',
        )}
      >
        {icon}
      </span>
      {label}
    </button>
  );
}
