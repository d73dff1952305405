'use client';

import { Notice, Page, Section, Skeleton, Tabs, TextLink, onDemand } from '@clarion/ui';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { Deliveries } from './Deliveries.tsx';
import { TestEvent } from './TestEvent.tsx';

const WebhookSettings = onDemand(
  async () => (await import('./WebhookSettings.tsx')).WebhookSettings,
  () => <Skeleton className="h-64" />,
);
const WebhookSecret = onDemand(
  async () => (await import('./WebhookSecret.tsx')).WebhookSecret,
  () => <Skeleton className="h-20" />,
);
const VerifySamples = onDemand(
  async () => (await import('./VerifySamples.tsx')).VerifySamples,
  () => <Skeleton className="h-64" />,
);

export function WebhookPage() {
  const url = useUrlState();
  const { data, error, refetch } = useGet('/v1/webhook', {});
  const webhook = data?.webhook;
  const settings =
    error !== null ? (
      <ReadProblem what="The webhook settings" problem={error} onRetry={() => void refetch()} />
    ) : webhook === undefined ? (
      <Skeleton className="h-64" />
    ) : (
      <div className="flex flex-col gap-8">
        <WebhookSettings webhook={webhook} />
        <Section title="Secret" description="Signs every request so that you can verify the sender.">
          <WebhookSecret webhook={webhook} />
        </Section>
        <Section
          title="Verify every request"
          description="Anyone can send requests to your URL. Check the signature of the raw body before you parse it."
        >
          <VerifySamples />
          <p className="text-muted">
            For details and code to copy, see{' '}
            <TextLink href="/docs/guides/webhooks">the webhooks guide</TextLink>.
          </p>
        </Section>
      </div>
    );
  return (
    <Page
      title="Webhook"
      description="Clarion sends signed events about all your tenants to one URL of your backend."
    >
      {webhook?.url === null && (
        <Notice tone="warning" title="No webhook URL">
          Set the URL that receives events. Until then, events are stored and can be sent later.
        </Notice>
      )}
      <TestEvent hasUrl={(webhook?.url ?? null) !== null} />
      <Tabs
        label="Webhook"
        value={url.get('tab') === 'settings' ? 'settings' : 'deliveries'}
        onValueChange={(tab) => url.set({ tab: tab === 'settings' ? tab : null })}
        tabs={[
          { value: 'deliveries', label: 'Deliveries', content: <Deliveries /> },
          { value: 'settings', label: 'Settings', content: settings },
        ]}
      />
    </Page>
  );
}
