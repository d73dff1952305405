'use client';

import { Button, ButtonLink, ConfirmDialog, IconButton, Menu, useToasts } from '@clarion/ui';
import { Ear, Ellipsis, PhoneOff, Trash2, UserX } from 'lucide-react';
import { useRouter } from 'next/navigation.js';
import { useState } from 'react';
import type { Call } from '#lib/dashboard/calls/outcome-labels.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useChange } from '#lib/dashboard/queries.ts';
import { RequestProblem } from '#lib/dashboard/request.ts';

const LIST = '/v1/tenants/{tenantRef}/calls';
const DETAIL = '/v1/calls/{callId}';

interface CallActionsProps {
  tenantRef: string;
  call: Call;
  live: boolean;
  recorded: boolean;
}

/** End and listen for live calls; delete and erase for ended calls. */
export function CallActions({ tenantRef, call, live, recorded }: CallActionsProps) {
  const me = useMe();
  const router = useRouter();
  const toasts = useToasts();
  const [asking, setAsking] = useState<'end' | 'delete' | 'erase' | null>(null);
  const { callId } = call;
  const { address } = call.customer;
  const end = useChange('POST', '/v1/calls/{callId}/terminate', { invalidates: [DETAIL, LIST] });
  const remove = useChange('DELETE', DETAIL, { invalidates: [LIST] });
  const erase = useChange('POST', '/v1/tenants/{tenantRef}/customers/erase', {
    invalidates: [DETAIL, LIST, '/v1/events'],
  });

  const attempt = (work: () => Promise<void>) => async () => {
    try {
      await work();
      setAsking(null);
    } catch (error) {
      if (!(error instanceof RequestProblem)) throw error;
      toasts.add({ title: 'The action failed', description: error.message, tone: 'negative' });
    }
  };
  const onEnd = attempt(async () => {
    await end.mutateAsync({ path: { callId } });
    toasts.add({ title: 'The call is being ended' });
  });
  const onDelete = attempt(async () => {
    await remove.mutateAsync({ path: { callId } });
    toasts.add({ title: `Call ${callId} was deleted` });
    router.replace(`${tenantHome(tenantRef)}/calls`);
  });
  const onErase = attempt(async () => {
    const done = await erase.mutateAsync({ path: { tenantRef }, body: { address: address ?? '' } });
    toasts.add({
      title: 'The customer was erased',
      description: `${done.callsErased} calls were erased and ${done.recordingsDeleted} recordings deleted.${
        done.activeCallsSkipped > 0
          ? ' Live calls were skipped. Erase the customer again when they have ended.'
          : ''
      }`,
    });
  });

  if (live) {
    return (
      <>
        {me.may('supervise') && (
          <ButtonLink
            href={`${tenantHome(tenantRef)}/live?call=${callId}`}
            icon={<Ear className="size-4" aria-hidden />}
          >
            Listen on the live board
          </ButtonLink>
        )}
        {me.may('manage') && (
          <Button
            tone="negative"
            icon={<PhoneOff className="size-4" aria-hidden />}
            onClick={() => setAsking('end')}
          >
            End call
          </Button>
        )}
        <ConfirmDialog
          open={asking === 'end'}
          onOpenChange={() => setAsking(null)}
          title="End this call?"
          confirmLabel="End call"
          tone="negative"
          busy={end.isPending}
          onConfirm={onEnd}
        >
          Both sides are disconnected immediately. They are not told who ended the call.
        </ConfirmDialog>
      </>
    );
  }
  if (!me.may('manage')) return null;
  return (
    <>
      <Menu
        label="More actions"
        trigger={<IconButton label="More" icon={<Ellipsis className="size-4" aria-hidden />} />}
        items={[
          {
            label: 'Erase customer',
            icon: <UserX aria-hidden />,
            tone: 'negative',
            disabled: address === null,
            onSelect: () => setAsking('erase'),
          },
          {
            label: 'Delete call',
            icon: <Trash2 aria-hidden />,
            tone: 'negative',
            onSelect: () => setAsking('delete'),
          },
        ]}
      />
      <ConfirmDialog
        open={asking === 'delete'}
        onOpenChange={() => setAsking(null)}
        title={`Delete call ${callId}?`}
        confirmLabel="Delete call"
        tone="negative"
        typeToConfirm={String(callId)}
        busy={remove.isPending}
        onConfirm={onDelete}
      >
        <p>
          This deletes the call with its history{recorded ? ', its recording' : ''} and its events, and
          removes it from all reports. Only its usage records are kept. This cannot be undone.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === 'erase'}
        onOpenChange={() => setAsking(null)}
        title={`Erase ${address ?? 'this customer'}?`}
        confirmLabel="Erase customer"
        tone="negative"
        {...(address !== null && { typeToConfirm: address })}
        busy={erase.isPending}
        onConfirm={onErase}
      >
        <p>
          This deletes the number, the name, your references, the history, the recordings and the events of
          every ended call of this customer. The calls themselves are kept without the customer and still
          count in reports. This cannot be undone.
        </p>
      </ConfirmDialog>
    </>
  );
}
