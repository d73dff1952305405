import { ProgressBar } from '@clarion/ui';

/** Nothing while nothing is sent. */
export function SendingProgress({ progress }: { progress: number | null | undefined }) {
  if (progress === undefined) return null;
  return (
    <ProgressBar
      label={progress === null ? 'Making it ready for callers' : `Sending, ${progress} %`}
      value={progress}
    />
  );
}
