'use client';

import { Button, ButtonLink, CopyButton, Notice } from '@clarion/ui';
import { Download } from 'lucide-react';

/** The recovery codes, which are shown once. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  const text = codes.join('\n');
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="warning" title="Save your recovery codes">
        Use a recovery code to sign in if you do not have your phone. Each code works once. The codes are not
        shown again.
      </Notice>
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-2 gap-x-4 gap-y-1 rounded-panel bg-raised p-4 font-mono text-md"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} label="Copy all" />
        <ButtonLink
          size="sm"
          as="a"
          icon={<Download className="size-4" />}
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
          download="clarion-recovery-codes.txt"
        >
          Download
        </ButtonLink>
      </div>
      <Button tone="accent" size="lg" onClick={onDone}>
        I have saved them
      </Button>
    </div>
  );
}
