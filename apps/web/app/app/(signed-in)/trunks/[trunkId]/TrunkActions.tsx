'use client';

import { Button, useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation.js';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import type { OwnTrunk, SelfService } from '#lib/dashboard/edit/resources.ts';
import { invalidate, useChange } from '#lib/dashboard/queries.ts';
import { isEditable } from '#lib/dashboard/trunks/trunk-status.ts';
import { useShowTrunk } from '#lib/dashboard/trunks/use-show-trunk.ts';
import type { PhoneNumber } from '#lib/dashboard/trunks/use-lines-of-trunks.ts';
import { LineLink } from './LinesOfTrunk.tsx';

interface TrunkActionsProps {
  trunk: OwnTrunk;
  selfService: SelfService;
  lines: readonly PhoneNumber[] | undefined;
}

/** Disables, enables and deletes the trunk. */
export function TrunkActions({ trunk, selfService, lines }: TrunkActionsProps) {
  const [asking, setAsking] = useState<'disable' | 'delete' | null>(null);
  const toasts = useToasts();
  const showTrunk = useShowTrunk();
  const setStatus = useChange('POST', '/v1/sip-trunks/{trunkId}/status', {
    onDone: ({ trunk: changed }) => {
      showTrunk(changed);
      toasts.add({
        title: changed.status === 'ACTIVE' ? 'The trunk is active again' : 'The trunk is disabled',
        tone: 'positive',
      });
    },
  });
  if (!isEditable(trunk, selfService)) return null;
  const path = { trunkId: trunk.id };
  const close = () => setAsking(null);
  return (
    <>
      {trunk.status === 'ACTIVE' && <Button onClick={() => setAsking('disable')}>Disable</Button>}
      {trunk.status === 'DISABLED' && (
        <Button
          tone="accent"
          busy={setStatus.isPending}
          onClick={() => setStatus.mutate({ path, body: { status: 'ACTIVE' } })}
        >
          Enable
        </Button>
      )}
      <Button onClick={() => setAsking('delete')}>Delete</Button>
      <ConfirmAction
        open={asking === 'disable'}
        onClose={close}
        title={`Disable ${trunk.name}?`}
        confirmLabel="Disable trunk"
        tone="negative"
        onConfirm={() => setStatus.mutateAsync({ path, body: { status: 'DISABLED' } })}
      >
        Calls to its lines are rejected and its lines place no calls until you enable it again. Live calls are
        not affected.
      </ConfirmAction>
      {(lines?.length ?? 0) > 0 ? (
        <StillUsed trunk={trunk} lines={lines ?? []} open={asking === 'delete'} onClose={close} />
      ) : (
        <DeleteTrunk trunk={trunk} open={asking === 'delete'} onClose={close} />
      )}
    </>
  );
}

interface DialogProps {
  trunk: OwnTrunk;
  open: boolean;
  onClose(): void;
}

/** A trunk with lines cannot be deleted: says which ones, instead of a rejection. */
function StillUsed({ trunk, lines, open, onClose }: DialogProps & { lines: readonly PhoneNumber[] }) {
  return (
    <ConfirmAction
      open={open}
      onClose={onClose}
      title={`${trunk.name} is still used`}
      confirmLabel="OK"
      onConfirm={() => Promise.resolve()}
    >
      <p>
        A trunk can be deleted when no line uses it. Delete {lines.length === 1 ? 'this line' : 'these lines'}{' '}
        or choose another trunk for {lines.length === 1 ? 'it' : 'them'} first:
      </p>
      <ul className="mt-2 flex max-h-60 flex-col gap-1 overflow-y-auto">
        {lines.map((line) => (
          <li key={line.id}>
            <LineLink line={line} /> <span className="text-muted">of {line.tenantRef}</span>
          </li>
        ))}
      </ul>
      <p className="mt-2">To stop its calls at once, disable the trunk instead.</p>
    </ConfirmAction>
  );
}

function DeleteTrunk({ trunk, open, onClose }: DialogProps) {
  const router = useRouter();
  const toasts = useToasts();
  const client = useQueryClient();
  const remove = useChange('DELETE', '/v1/sip-trunks/{trunkId}');
  return (
    <ConfirmAction
      open={open}
      onClose={onClose}
      title={`Delete ${trunk.name}?`}
      confirmLabel="Delete trunk"
      tone="negative"
      onConfirm={async () => {
        await remove.mutateAsync({ path: { trunkId: trunk.id } });
        // Navigate first: this page would show that the trunk was not found.
        router.push('/app/trunks');
        toasts.add({ title: `${trunk.name} was deleted` });
        void invalidate(client, ['/v1/sip-trunks', '/v1/numbers']);
      }}
    >
      This deletes its settings, its credentials, its list of rejected calls and its released numbers. Past
      calls are kept. Calls that the carrier still sends are rejected. This cannot be undone.
    </ConfirmAction>
  );
}
