import { LoaderCircle } from 'lucide-react';
import { classNames } from './class-names.ts';

/** Shows that something is in progress. Screen readers ignore it, so text next to it must tell what. */
export function Spinner({ className }: { className?: string }) {
  return (
    <LoaderCircle
      className={classNames('size-4 animate-spin motion-reduce:animate-none', className)}
      aria-hidden
    />
  );
}
