'use client';

import { Page, Skeleton, onDemand } from '@clarion/ui';
import { ApiKeys } from './ApiKeys.tsx';

const SigningKeys = onDemand(
  async () => (await import('./SigningKeys.tsx')).SigningKeys,
  () => <Skeleton className="h-64" />,
);

export function KeysPage() {
  return (
    <Page
      title="Keys"
      description="Keys authenticate your backend. Keep them out of apps, web pages and repositories."
    >
      <ApiKeys />
      <SigningKeys />
    </Page>
  );
}
