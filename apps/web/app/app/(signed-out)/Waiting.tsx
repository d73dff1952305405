import { Skeleton } from '@clarion/ui';

/** Placeholder of a form that is loading. */
export const Waiting = ({ text }: { text: string }) => (
  <div className="flex flex-col gap-4">
    <p role="status" className="text-md text-muted">
      {text}
    </p>
    <Skeleton className="h-9" />
    <Skeleton className="h-9" />
    <Skeleton className="h-11 w-32" />
  </div>
);
