import { classNames } from '../shared/class-names.ts';

/** A placeholder for text that is loading. Set its width and height by classes. Other text must tell what is loading. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classNames('cl-skeleton bg-pressed', className)} />;
}
