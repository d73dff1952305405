'use client';

import {
  Button,
  Callout,
  DateTime,
  EmptyState,
  Section,
  Table,
  TextField,
  useToasts,
  type Column,
} from '@clarion/ui';
import { PenLine, Plus } from 'lucide-react';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { SecretOnce, type Issued } from '#lib/dashboard/edit/SecretOnce.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';

type SigningKey = Answer<'GET', '/v1/signing-keys'>['signingKeys'][number];

export function SigningKeys() {
  const toasts = useToasts();
  const { data, error, refetch } = useGet('/v1/signing-keys', {});
  const [creating, setCreating] = useState(false);
  const [issued, setIssued] = useState<Issued | null>(null);
  const [revoking, setRevoking] = useState<SigningKey | null>(null);
  const remove = useChange('DELETE', '/v1/signing-keys/{kid}', { invalidates: ['/v1/signing-keys'] });
  const columns: Column<SigningKey>[] = [
    { key: 'kid', header: 'Kid', cell: ({ kid }) => <code className="font-mono">{kid}</code> },
    {
      key: 'name',
      header: 'Name',
      cell: ({ name }) => name ?? <span className="text-muted">None</span>,
    },
    { key: 'created', header: 'Created', cell: ({ createdAt }) => <DateTime at={createdAt} /> },
    {
      key: 'revoke',
      header: <span className="sr-only">Revoke</span>,
      align: 'end',
      cell: (key) => (
        <Button size="sm" tone="plain" onClick={() => setRevoking(key)} aria-label={`Revoke ${key.kid}`}>
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <Section
      title="Signing keys"
      description="Your backend signs agent tokens and launch tokens with a signing key and names its kid in the token header."
      actions={
        <Button icon={<Plus className="size-4" />} onClick={() => setCreating(true)}>
          New signing key
        </Button>
      }
    >
      {error !== null ? (
        <ReadProblem what="The signing keys" problem={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Signing keys"
          columns={columns}
          rows={data?.signingKeys}
          rowKey={({ id }) => id}
          stacked
          empty={
            <EmptyState icon={<PenLine />} title="No signing keys">
              Create a signing key so that agents can connect.
            </EmptyState>
          }
        />
      )}
      <Callout title="Rotate a key without downtime">
        Create a new key and sign with it. All tokens of the old key expire within an hour. Then revoke the
        old key. Agents who are still connected with it are disconnected and reconnect with a new token.
      </Callout>
      <NewSigningKey open={creating} onClose={() => setCreating(false)} onIssued={setIssued} />
      <SecretOnce issued={issued} onClose={() => setIssued(null)} />
      <ConfirmAction
        open={revoking !== null}
        onClose={() => setRevoking(null)}
        title={`Revoke ${revoking?.kid ?? ''}?`}
        confirmLabel="Revoke key"
        tone="negative"
        typeToConfirm={revoking?.kid ?? ''}
        onConfirm={async () => {
          if (revoking === null) return;
          await remove.mutateAsync({ path: { kid: revoking.kid } });
          toasts.add({ title: `${revoking.kid} was revoked` });
        }}
      >
        Tokens signed with this key are rejected within a second, and agents who connected with one are
        disconnected, even during a call. The kid cannot be used again. This cannot be undone.
      </ConfirmAction>
    </Section>
  );
}

interface NewSigningKeyProps {
  open: boolean;
  onClose(): void;
  onIssued(issued: Issued): void;
}

function NewSigningKey({ open, onClose, onIssued }: NewSigningKeyProps) {
  const { draft, change, dirty } = useDraft(open, () => ({ kid: '', name: '' }));
  const create = useChange('POST', '/v1/signing-keys', { invalidates: ['/v1/signing-keys'] });
  return (
    <EditDrawer
      open={open}
      onClose={onClose}
      title="New signing key"
      dirty={dirty}
      saveLabel="Create key"
      onSave={async () => {
        const { signingKey, secret } = await create.mutateAsync({
          body: { kid: draft.kid || null, name: draft.name || null },
        });
        onIssued({
          what: 'Signing secret',
          secret,
          more: [{ label: 'Kid', text: signingKey.kid }],
          hint: 'Sign tokens on your backend with HS256 and this secret, with the kid in the header. Never put the secret in an app.',
        });
      }}
    >
      <TextField
        name="name"
        label="Name"
        optional
        hint="For example “Agent tokens”."
        value={draft.name}
        onValueChange={(name) => change({ name })}
      />
      <TextField
        name="kid"
        label="Kid"
        optional
        mono
        hint="Letters, digits, dots, underscores and hyphens. Leave empty to generate one."
        value={draft.kid}
        onValueChange={(kid) => change({ kid })}
        autoComplete="off"
      />
    </EditDrawer>
  );
}
