'use client';

import { Button, Dialog, Notice, ProgressBar, SelectField } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import { invalidate } from '#lib/dashboard/queries.ts';
import { RequestProblem } from '#lib/dashboard/request.ts';
import { MAX_REDELIVERIES, redeliverFailed, type RedeliverProgress } from './redeliver-failed.ts';

const MS_PER_HOUR = 3_600_000;
const spans = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
  { value: '720', label: 'Last 30 days' },
];

/** Redelivers the failed events after an outage. */
export function RedeliverFailed() {
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const [hours, setHours] = useState('24');
  const [progress, setProgress] = useState<RedeliverProgress | null>(null);
  const [problem, setProblem] = useState<string>();
  const running = useRef<AbortController | null>(null);
  const busy = progress !== null && !progress.finished;
  const start = async () => {
    const stop = new AbortController();
    running.current = stop;
    setProblem(undefined);
    try {
      const from = new Date(Date.now() - Number(hours) * MS_PER_HOUR);
      await redeliverFailed(from, stop.signal, setProgress);
    } catch (refusal) {
      if (!(refusal instanceof RequestProblem)) throw refusal;
      setProblem(problemMessage(refusal));
      setProgress(null);
    }
    await invalidate(client, ['/v1/events']);
  };
  const close = () => {
    running.current?.abort();
    setProgress(null);
    setProblem(undefined);
    setOpen(false);
  };
  return (
    <>
      <Button className="max-lg:col-span-2 lg:ml-auto lg:w-auto!" onClick={() => setOpen(true)}>
        Resend failed events
      </Button>
      <Dialog
        open={open}
        onOpenChange={(next) => next || close()}
        keepOpen={busy}
        size="sm"
        title="Resend failed events"
        description={`Sends up to ${MAX_REDELIVERIES} failed events to the current URL, newest first.`}
        footer={
          busy ? (
            <Button onClick={() => running.current?.abort()}>Stop</Button>
          ) : progress === null ? (
            <Button tone="accent" onClick={() => void start()}>
              Resend
            </Button>
          ) : (
            <Button tone="accent" onClick={close}>
              Done
            </Button>
          )
        }
      >
        {progress === null ? (
          <div className="flex flex-col gap-4">
            <SelectField label="Events from" choices={spans} value={hours} onValueChange={setHours} />
            {problem !== undefined && <Notice tone="negative">{problem}</Notice>}
          </div>
        ) : (
          <Outcome progress={progress} />
        )}
      </Dialog>
    </>
  );
}

function Outcome({ progress: { found, sent, finished, more } }: { progress: RedeliverProgress }) {
  if (found === null) return <ProgressBar label="Looking for failed events" value={null} />;
  if (found === 0) return <p>There are no failed events in this period.</p>;
  return (
    <div className="flex flex-col gap-3" role="status">
      <ProgressBar label={`${sent} of ${found} sent`} value={Math.round((sent / found) * 100)} />
      {finished && sent < found && <p className="text-muted">Stopped. The other events were not sent.</p>}
      {finished && more && (
        <p className="text-muted">
          There are more failed events. Resend again when these have been delivered.
        </p>
      )}
    </div>
  );
}
