'use client';

import { AuthCard, Button } from '@clarion/ui';

/** A page outside of the dashboard's frame that broke while it was drawn. */
export default function PageBroke({ reset }: { reset(): void }) {
  return (
    <AuthCard
      title="This page could not be shown"
      description="Something went wrong on our side. Try again in a moment."
    >
      <Button tone="accent" onClick={reset}>
        Try again
      </Button>
    </AuthCard>
  );
}
