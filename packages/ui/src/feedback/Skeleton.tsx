import { classNames } from '../shared/class-names.ts';

/** Stands where words will be. Give it a width and a height by classes; the text beside says what is loading. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classNames('cl-skeleton bg-pressed', className)} />;
}
