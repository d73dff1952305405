'use client';

import { CodeBlock, Tabs } from '@clarion/ui';
import { snippets } from './snippets.ts';

/** Code samples of the phone as an element, in React and in a frame. */
export function Samples({ origin, slug }: { origin: string; slug: string }) {
  return (
    <Tabs
      label="Embedding options"
      tabs={snippets(origin, slug).map(({ value, label, language, text, note }) => ({
        value,
        label,
        content: (
          <div className="flex flex-col gap-3">
            <p className="max-w-2xl text-muted">{note}</p>
            <CodeBlock language={language} text={text} />
          </div>
        ),
      }))}
    />
  );
}
