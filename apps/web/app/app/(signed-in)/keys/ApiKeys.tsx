'use client';

import {
  Badge,
  Button,
  Callout,
  DateTime,
  EmptyState,
  NumberField,
  RelativeTime,
  Section,
  SwitchField,
  Table,
  TextField,
  useToasts,
  type Column,
} from '@clarion/ui';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { SecretOnce, type Issued } from '#lib/dashboard/edit/SecretOnce.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';

type ApiKey = Answer<'GET', '/v1/api-keys'>['apiKeys'][number];

const DEFAULT_DAYS = 365;
const MAX_DAYS = 3650;

export function ApiKeys() {
  const toasts = useToasts();
  const { data, error, refetch } = useGet('/v1/api-keys', {});
  const [creating, setCreating] = useState(false);
  const [issued, setIssued] = useState<Issued | null>(null);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const remove = useChange('DELETE', '/v1/api-keys/{apiKeyId}', { invalidates: ['/v1/api-keys'] });
  const columns: Column<ApiKey>[] = [
    {
      key: 'name',
      header: 'Name',
      cell: ({ name, prefix }) => (
        <span className="flex min-w-0 flex-col">
          <span className="truncate font-medium">{name}</span>
          <span className="truncate font-mono text-xs font-normal text-muted">{prefix}…</span>
        </span>
      ),
    },
    {
      key: 'used',
      header: 'Last used',
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className="text-muted">Never</span> : <RelativeTime at={lastUsedAt} />,
    },
    { key: 'expires', header: 'Expires', cell: (key) => <Expiry apiKey={key} /> },
    {
      key: 'created',
      header: 'Created',
      hideBelow: 'md',
      cell: ({ createdAt }) => <DateTime at={createdAt} />,
    },
    {
      key: 'revoke',
      header: <span className="sr-only">Revoke</span>,
      align: 'end',
      cell: (key) => (
        <Button size="sm" tone="plain" onClick={() => setRevoking(key)} aria-label={`Revoke ${key.name}`}>
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <Section
      title="API keys"
      description="Your backend uses an API key for the Management API. Each key has full access to this account."
      actions={
        <Button tone="accent" icon={<Plus className="size-4" />} onClick={() => setCreating(true)}>
          New API key
        </Button>
      }
    >
      {error !== null ? (
        <ReadProblem what="The API keys" problem={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="API keys"
          columns={columns}
          rows={data?.apiKeys}
          rowKey={({ id }) => id}
          stacked
          empty={
            <EmptyState icon={<KeyRound />} title="No API keys">
              Create a key for your backend.
            </EmptyState>
          }
        />
      )}
      <Callout title="Rotate a key without downtime">
        Create a new key and deploy it to your backend. When the last use of the old key no longer changes,
        revoke it. The last valid key cannot be revoked, so that your backend is not locked out.
      </Callout>
      <NewApiKey open={creating} onClose={() => setCreating(false)} onIssued={setIssued} />
      <SecretOnce issued={issued} onClose={() => setIssued(null)} />
      <ConfirmAction
        open={revoking !== null}
        onClose={() => setRevoking(null)}
        title={`Revoke ${revoking?.name ?? ''}?`}
        confirmLabel="Revoke key"
        tone="negative"
        onConfirm={async () => {
          if (revoking === null) return;
          await remove.mutateAsync({ path: { apiKeyId: revoking.id } });
          toasts.add({ title: `${revoking.name} was revoked` });
        }}
      >
        Requests with this key are rejected within a second. This cannot be undone.
        {revoking !== null && revoking.lastUsedAt !== null && (
          <span className="mt-2 block text-ink">
            It was last used <RelativeTime at={revoking.lastUsedAt} />.
          </span>
        )}
      </ConfirmAction>
    </Section>
  );
}

function Expiry({ apiKey: { expiresAt } }: { apiKey: ApiKey }) {
  // The clock is read once, not while rendering: expiry is accurate to minutes.
  const [now] = useState(() => Date.now());
  if (expiresAt === null) return <span className="text-muted">Never</span>;
  if (Date.parse(expiresAt) <= now) return <Badge tone="negative">Expired</Badge>;
  return <RelativeTime at={expiresAt} />;
}

interface NewApiKeyProps {
  open: boolean;
  onClose(): void;
  onIssued(issued: Issued): void;
}

function NewApiKey({ open, onClose, onIssued }: NewApiKeyProps) {
  const { draft, change, dirty } = useDraft<{ name: string; days: number | null }>(open, () => ({
    name: '',
    days: DEFAULT_DAYS,
  }));
  const create = useChange('POST', '/v1/api-keys', { invalidates: ['/v1/api-keys'] });
  return (
    <EditDrawer
      open={open}
      onClose={onClose}
      title="New API key"
      dirty={dirty}
      saveLabel="Create key"
      onSave={async () => {
        const { secret } = await create.mutateAsync({
          body: { name: draft.name, ...(draft.days !== null && { expires_in_days: draft.days }) },
        });
        onIssued({
          what: 'API key',
          secret,
          hint: 'Send it as “Authorization: Bearer …” with every request of your backend.',
        });
      }}
    >
      <TextField
        name="name"
        label="Name"
        hint="Name what uses the key, for example “Production backend”."
        value={draft.name}
        onValueChange={(name) => change({ name })}
        required
      />
      <SwitchField
        label="Expires"
        hint="When off, the key works until it is revoked."
        checked={draft.days !== null}
        onCheckedChange={(on) => change({ days: on ? DEFAULT_DAYS : null })}
      />
      {draft.days !== null && (
        <NumberField
          name="expires_in_days"
          label="Expires after"
          unit="days"
          hint={`1 to ${MAX_DAYS}.`}
          min={1}
          max={MAX_DAYS}
          value={draft.days}
          onValueChange={(days) => change({ days: days ?? 1 })}
        />
      )}
    </EditDrawer>
  );
}
