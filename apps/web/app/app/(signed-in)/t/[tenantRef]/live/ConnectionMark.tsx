'use client';

import { Badge } from '@clarion/ui';
import type { Live } from './use-live.ts';

const LABELS = {
  connecting: { label: 'Connecting', tone: 'neutral' },
  live: { label: 'Live', tone: 'positive' },
  lost: { label: 'Connection lost', tone: 'negative' },
  over: { label: 'Stopped', tone: 'negative' },
} as const;

export function ConnectionMark({ state }: { state: Live['state'] }) {
  const { label, tone } = LABELS[state];
  return (
    <span role="status">
      <Badge tone={tone} dot>
        {label}
      </Badge>
    </span>
  );
}
