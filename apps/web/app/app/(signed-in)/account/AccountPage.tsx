'use client';

import { Page, Skeleton, onDemand } from '@clarion/ui';
import { useGet } from '#lib/dashboard/queries.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { NameAndPassword } from './NameAndPassword.tsx';
import { Sessions } from './Sessions.tsx';

const TwoFactor = onDemand(
  async () => (await import('./TwoFactor.tsx')).TwoFactor,
  () => <Skeleton className="h-40" />,
);

export function AccountPage() {
  const signedIn = useMe();
  // The server-rendered data is refetched after a change.
  const me = useGet('/v1/me', {}).data?.me ?? signedIn;
  return (
    <Page title="Your account and security" description={me.email} width="narrow">
      <NameAndPassword name={me.name} email={me.email ?? ''} />
      {me.twoFactor !== null && <TwoFactor {...me.twoFactor} />}
      <Sessions />
    </Page>
  );
}
