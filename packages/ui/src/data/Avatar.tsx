import { classNames } from '../shared/class-names.ts';
import { initialsOf } from '../shared/format.ts';

export interface AvatarProps {
  name: string;
  size?: 'sm' | 'md' | 'lg';
  /** For an organisation. */
  square?: boolean;
  className?: string;
}

const sizes = { sm: 'size-6 text-[0.625rem]', md: 'size-8 text-xs', lg: 'size-12 text-base' };

/** Initials, shown next to the name. */
export function Avatar({ name, size = 'md', square = false, className }: AvatarProps) {
  return (
    <span
      aria-hidden
      className={classNames(
        'grid shrink-0 place-items-center bg-accent-soft font-semibold text-accent select-none',
        square ? 'rounded-md' : 'rounded-full',
        sizes[size],
        className,
      )}
    >
      {initialsOf(name)}
    </span>
  );
}
