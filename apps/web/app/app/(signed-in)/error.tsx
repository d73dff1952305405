'use client';

import { Button, Page } from '@clarion/ui';

/** A page that failed to render. The dashboard around it stays usable. */
export default function PageBroke({ error, reset }: { error: Error & { digest?: string }; reset(): void }) {
  return (
    <Page
      width="narrow"
      title="This page could not be shown"
      description="Something went wrong on our side. Saved changes are not lost. Try again in a moment."
    >
      <Button tone="accent" className="self-start" onClick={reset}>
        Try again
      </Button>
      {error.digest !== undefined && (
        <p className="text-sm text-muted">
          Reference for the operator: <code className="font-mono">{error.digest}</code>
        </p>
      )}
    </Page>
  );
}
