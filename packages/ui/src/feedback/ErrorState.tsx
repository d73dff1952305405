'use client';

import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../actions/Button.tsx';
import { CopyButton } from '../actions/CopyButton.tsx';
import { classNames } from '../shared/class-names.ts';

export interface ErrorStateProps {
  title: ReactNode;
  detail?: ReactNode;
  /** The ID to give to support; shown with a copy button. */
  requestId?: string;
  onRetry?(): void;
  className?: string;
}

export function ErrorState({ title, detail, requestId, onRetry, className }: ErrorStateProps) {
  return (
    <div
      role="alert"
      className={classNames('mx-auto flex max-w-md flex-col items-center px-6 py-12 text-center', className)}
    >
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-negative-soft text-negative-text">
        <CircleAlert className="size-6" aria-hidden />
      </span>
      <p className="text-base font-semibold text-balance text-ink">{title}</p>
      {detail !== undefined && <div className="mt-1 text-md text-pretty text-muted">{detail}</div>}
      {onRetry !== undefined && (
        <Button className="mt-5" onClick={onRetry}>
          Try again
        </Button>
      )}
      {requestId !== undefined && (
        <p className="mt-4 flex max-w-full items-center gap-1 text-sm text-muted">
          <span className="min-w-0 [overflow-wrap:anywhere]">
            Request <code className="font-mono">{requestId}</code>
          </span>
          <CopyButton text={requestId} />
        </p>
      )}
    </div>
  );
}
