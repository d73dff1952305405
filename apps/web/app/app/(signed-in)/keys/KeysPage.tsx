'use client';

import { Page } from '@clarion/ui';
import { ApiKeys } from './ApiKeys.tsx';
import { SigningKeys } from './SigningKeys.tsx';

export function KeysPage() {
  return (
    <Page
      title="Keys"
      description="What your backend identifies itself with. Keep them out of apps, web pages and repositories."
    >
      <ApiKeys />
      <SigningKeys />
    </Page>
  );
}
