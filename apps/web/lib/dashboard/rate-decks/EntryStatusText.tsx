'use client';

import { Badge, DateTime, useNow } from '@clarion/ui';
import { entryStatuses, statusOf } from './entry-status.ts';
import type { Entry } from './resources.ts';

const UPDATED_MS = 30_000;

export function EntryStatusBadge({ entry }: { entry: Entry }) {
  const { label, tone } = entryStatuses[statusOf(entry, useNow(UPDATED_MS))];
  return (
    <Badge tone={tone} dot>
      {label}
    </Badge>
  );
}

/** Whether a price is in force, and from when to when it applies. */
export function EntryStatusText({ entry }: { entry: Entry }) {
  const status = statusOf(entry, useNow(UPDATED_MS));
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 max-sm:justify-end">
      <EntryStatusBadge entry={entry} />
      <span className="text-sm text-muted">
        {status === 'CURRENT' ? 'since ' : 'from '}
        <DateTime at={entry.effectiveFrom} />
        {entry.effectiveTo !== null && (
          <>
            {status === 'ENDED' ? ' to ' : ', until '}
            <DateTime at={entry.effectiveTo} />
          </>
        )}
      </span>
    </span>
  );
}
