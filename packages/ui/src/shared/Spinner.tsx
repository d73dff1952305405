import { LoaderCircle } from 'lucide-react';
import { classNames } from './class-names.ts';

/** Something is under way. Silent: say what in words beside it. */
export function Spinner({ className }: { className?: string }) {
  return (
    <LoaderCircle
      className={classNames('size-4 animate-spin motion-reduce:animate-none', className)}
      aria-hidden
    />
  );
}
