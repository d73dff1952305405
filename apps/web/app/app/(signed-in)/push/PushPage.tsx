'use client';

import { Badge, Button, Card, DateTime, DescriptionList, Grid, Page, Skeleton, useToasts } from '@clarion/ui';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import { PushDrawer } from './PushDrawer.tsx';
import { TestPushDrawer } from './TestPushDrawer.tsx';
import { providers, shownFacts, type Provider } from './providers.tsx';

export function PushPage() {
  const toasts = useToasts();
  const { data, error, refetch } = useGet('/v1/push-credentials', {});
  const [editing, setEditing] = useState<Provider | null>(null);
  const [testing, setTesting] = useState<Provider | null>(null);
  const [removing, setRemoving] = useState<Provider | null>(null);
  const remove = useChange('DELETE', '/v1/push-credentials/{provider}', {
    invalidates: ['/v1/push-credentials'],
  });
  const storedOf = (provider: Provider) =>
    data?.pushCredentials.find((one) => one.provider.toLowerCase() === provider) ?? null;
  const nameOf = (provider: Provider | null) =>
    providers.find((one) => one.provider === provider)?.name ?? '';
  return (
    <Page
      title="Push notifications"
      description="Push notifications let calls ring in mobile apps that are closed, and in browsers whose tab is closed."
    >
      {error !== null ? (
        <ReadProblem what="The push credentials" problem={error} onRetry={() => void refetch()} />
      ) : (
        <Grid minWidth={26}>
          {providers.map(({ provider, name, forWhat, where }) => {
            const stored = storedOf(provider);
            return (
              <Card key={provider} className="flex flex-col gap-4">
                <div>
                  <div className="flex flex-wrap items-center justify-between gap-2">
                    <h2 className="text-base font-semibold">{name}</h2>
                    {stored !== null && (
                      <Badge tone="positive" dot>
                        Set up
                      </Badge>
                    )}
                  </div>
                  <p className="text-md text-muted">{forWhat}</p>
                </div>
                {data === undefined ? (
                  <Skeleton className="h-24" />
                ) : stored === null ? (
                  <p className="text-md text-muted">Where to find it: {where}</p>
                ) : (
                  <DescriptionList
                    items={[
                      ...shownFacts(stored),
                      { term: 'Updated', value: <DateTime at={stored.updatedAt} /> },
                    ]}
                  />
                )}
                <div className="mt-auto flex flex-wrap gap-2">
                  {stored !== null && (
                    <Button tone="quiet" onClick={() => setTesting(provider)}>
                      Send test push<span className="sr-only">{name}</span>
                    </Button>
                  )}
                  <Button
                    tone={stored === null ? 'accent' : 'quiet'}
                    disabled={data === undefined}
                    onClick={() => setEditing(provider)}
                  >
                    {stored === null ? 'Set up' : provider === 'webpush' ? 'Change' : 'Replace'}
                    <span className="sr-only">{name}</span>
                  </Button>
                  {stored !== null && (
                    <Button tone="plain" onClick={() => setRemoving(provider)}>
                      Delete<span className="sr-only">{name}</span>
                    </Button>
                  )}
                </div>
              </Card>
            );
          })}
        </Grid>
      )}
      <PushDrawer
        provider={editing}
        stored={editing === null ? null : storedOf(editing)}
        onClose={() => setEditing(null)}
      />
      <TestPushDrawer provider={testing} onClose={() => setTesting(null)} />
      <ConfirmAction
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Delete the credentials of ${nameOf(removing)}?`}
        confirmLabel="Delete credentials"
        tone="negative"
        onConfirm={async () => {
          if (removing === null) return;
          await remove.mutateAsync({ path: { provider: removing } });
          toasts.add({ title: 'The credentials were deleted' });
        }}
      >
        {removing === 'webpush'
          ? 'Browsers whose tab is closed no longer ring. The key is deleted, so they must subscribe again after you set this up again.'
          : 'Closed apps no longer ring. To set this up again, you need the key.'}
      </ConfirmAction>
    </Page>
  );
}
