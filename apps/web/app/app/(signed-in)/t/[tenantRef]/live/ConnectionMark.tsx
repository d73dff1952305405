'use client';

import { Badge } from '@clarion/ui';
import type { Live } from './use-live.ts';

const WORDS = {
  connecting: { words: 'Connecting', tone: 'neutral' },
  live: { words: 'Live', tone: 'positive' },
  lost: { words: 'Connection lost', tone: 'negative' },
  over: { words: 'Stopped', tone: 'negative' },
} as const;

export function ConnectionMark({ state }: { state: Live['state'] }) {
  const { words, tone } = WORDS[state];
  return (
    <span role="status">
      <Badge tone={tone} dot>
        {words}
      </Badge>
    </span>
  );
}
