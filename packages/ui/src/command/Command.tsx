'use client';

import { Check, Copy } from 'lucide-react';
import { useState } from 'react';

const COPIED_MS = 1_500;

/** A command for the terminal, with a copy button. */
export function Command({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <span className="flex items-center gap-2 rounded-control border border-line bg-surface py-1 pr-1 pl-3.5">
      <code
        tabIndex={0}
        className="cl-focus rounded-md min-w-0 flex-1 overflow-x-auto font-mono text-sm whitespace-nowrap text-ink"
      >
        {text}
      </code>
      <button
        type="button"
        aria-label={copied ? 'Copied' : 'Copy the command'}
        className="cl-focus grid size-9 shrink-0 place-items-center rounded-lg text-muted transition-colors hover:bg-raised hover:text-ink"
        onClick={() => void copy().catch(() => undefined)}
      >
        {copied ? (
          <Check className="size-4 text-positive" aria-hidden />
        ) : (
          <Copy className="size-4" aria-hidden />
        )}
      </button>
    </span>
  );
}
