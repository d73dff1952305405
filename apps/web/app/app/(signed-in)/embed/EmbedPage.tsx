'use client';

import {
  Button,
  Form,
  Notice,
  Page,
  Section,
  Skeleton,
  TextField,
  TextLink,
  onDemand,
  useToasts,
} from '@clarion/ui';
import { useLeaveGuard } from '#lib/dashboard/edit/EditDrawer.tsx';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useSave } from '#lib/dashboard/edit/use-save.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import { useOrigin } from '#lib/dashboard/use-origin.ts';

const Samples = onDemand(
  async () => (await import('./Samples.tsx')).Samples,
  () => <Skeleton className="h-64" />,
);

export function EmbedPage() {
  const me = useMe();
  const { data, error, refetch } = useGet('/v1/embed-settings', {});
  const origin = useOrigin();
  return (
    <Page
      title="Embedding"
      description="Show the agent phone in your product as a custom element, in React or in a frame."
    >
      <Section
        title="Allowed origins"
        description="The pages that can show the phone in a frame. If you list any, agents cannot connect from other pages."
      >
        {error !== null && (
          <ReadProblem what="The allowed origins" problem={error} onRetry={() => void refetch()} />
        )}
        {data === undefined && error === null && <Skeleton className="h-32" />}
        {data !== undefined && <Origins allowed={data.embedSettings.allowedOrigins} />}
      </Section>
      <Section
        title="Embed code"
        description="Each variant requests an agent token from your backend for the signed-in user."
      >
        <Samples origin={origin} slug={me.consumer.slug} />
        <p className="text-muted">
          For appearance and microphone access, see{' '}
          <TextLink href="/docs/guides/embed">the embedding guide</TextLink>.
        </p>
      </Section>
    </Page>
  );
}

function Origins({ allowed }: { allowed: readonly string[] }) {
  const toasts = useToasts();
  const { formId, errors, busy, save } = useSave();
  const { draft, change, dirty, saved } = useDraft(
    true,
    () => ({ text: allowed.join('\n') }),
    allowed.join(),
  );
  useLeaveGuard(dirty);
  const put = useChange('PUT', '/v1/embed-settings', { invalidates: ['/v1/embed-settings'] });
  const origins = draft.text.split(/\s+/).filter((line) => line !== '');
  return (
    <Form
      id={formId}
      errors={errors}
      busy={busy}
      className="max-w-2xl"
      onSubmit={async () => {
        if (!(await save(() => put.mutateAsync({ body: { allowed_origins: origins } })))) return;
        saved();
        toasts.add({
          title: 'Saved',
          description: 'The change takes effect within a few seconds.',
          tone: 'positive',
        });
      }}
    >
      <TextField
        name="allowed_origins"
        label="Origins"
        multiline={5}
        mono
        placeholder="https://app.example.com"
        hint="One per line, at most 50. Include the scheme, the host and any non-default port, without a path."
        value={draft.text}
        onValueChange={(text) => change({ text })}
      />
      {origins.length === 0 && (
        <Notice>
          Without origins, no page can show the phone in a frame. The element and the component work on any
          page with a valid token.
        </Notice>
      )}
      <div>
        <Button tone="accent" type="submit" busy={busy} disabled={!dirty}>
          Save
        </Button>
      </div>
    </Form>
  );
}
