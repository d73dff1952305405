'use client';

import { CopyButton } from '../actions/CopyButton.tsx';
import { classNames } from '../shared/class-names.ts';

export interface CodeBlockProps {
  text: string;
  /** Shown above the code: "JSON", "curl". */
  language?: string;
  /** Long lines wrap instead of scrolling. */
  wrap?: boolean;
  className?: string;
}

export function CodeBlock({ text, language, wrap = false, className }: CodeBlockProps) {
  return (
    <div
      className={classNames(
        'min-w-0 overflow-hidden rounded-control border border-line bg-raised',
        className,
      )}
    >
      <div className="flex items-center justify-between gap-2 border-b border-line py-0.5 pr-1 pl-3.5">
        <span className="text-sm text-muted">{language ?? 'Text'}</span>
        <CopyButton text={text} />
      </div>
      <pre
        tabIndex={0}
        className={classNames(
          'cl-focus max-h-96 overflow-auto rounded-b-control px-3.5 py-3 font-mono text-sm text-ink -outline-offset-2!',
          wrap && 'break-all whitespace-pre-wrap',
        )}
      >
        <code>{text}</code>
      </pre>
    </div>
  );
}

export interface KeyValueCodeProps {
  /** What it is: "Account ID". */
  label: string;
  text: string;
  /** Masked with dots; it can still be copied. */
  secret?: boolean;
  className?: string;
}

/** A labelled value with a copy button. */
export function KeyValueCode({ label, text, secret = false, className }: KeyValueCodeProps) {
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1', className)}>
      <span className="text-sm text-muted">{label}</span>
      <span className="flex min-w-0 items-center gap-1 rounded-control border border-line bg-raised py-0.5 pr-1 pl-3">
        <code
          tabIndex={0}
          className="cl-focus min-w-0 flex-1 overflow-x-auto rounded-sm py-1 font-mono text-sm whitespace-nowrap text-ink"
        >
          {secret ? '•'.repeat(Math.min(text.length, 24)) : text}
        </code>
        <CopyButton text={text} />
      </span>
    </div>
  );
}
