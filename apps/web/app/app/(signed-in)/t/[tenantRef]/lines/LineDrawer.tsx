'use client';

import { Button, useToasts } from '@clarion/ui';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { ViewOrEdit } from '#lib/dashboard/edit/ViewOrEdit.tsx';
import { newRef } from '#lib/dashboard/edit/new-ref.ts';
import type { Line } from '#lib/dashboard/edit/resources.ts';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useChange } from '#lib/dashboard/queries.ts';
import { bodyOf, draftOf, type LineDraft, type Prefill } from './line-draft.ts';
import { InboundFields, LineFields, OtherFields } from './LineFields.tsx';
import { CallPath } from './CallPath.tsx';
import { LineSummary } from './LineSummary.tsx';
import type { LineResources } from './use-line-resources.ts';

interface LineDrawerProps {
  tenantRef: string;
  target: Line | 'new' | null;
  around: LineResources;
  /** For a new line. */
  prefill: Prefill;
  onClose(): void;
}

export function LineDrawer({ target, ...props }: LineDrawerProps) {
  const { tenantRef, around, onClose } = props;
  if (around.lines === undefined) return null;
  return (
    <ViewOrEdit
      target={target}
      onClose={onClose}
      titleOf={({ displayName, address }) => displayName ?? address}
      facts={(line) => (
        <div className="flex flex-col gap-6">
          <CallPath tenantRef={tenantRef} line={line} draft={draftOf(line, around)} around={around} />
          <LineSummary tenantRef={tenantRef} line={line} around={around} />
        </div>
      )}
      form={(line, open) => <LineForm {...props} line={line} open={open} />}
    />
  );
}

interface LineFormProps extends Omit<LineDrawerProps, 'target'> {
  open: boolean;
  line: Line | null;
}

function LineForm({ tenantRef, open, line, around, prefill, onClose }: LineFormProps) {
  const toasts = useToasts();
  const [asking, setAsking] = useState(false);
  const { draft, change, dirty } = useDraft<LineDraft>(open, () => draftOf(line, around, prefill));
  const taken = around.lines?.map(({ ref }) => ref) ?? [];
  const put = useChange('PUT', '/v1/tenants/{tenantRef}/channels/{channelRef}', {
    invalidates: [
      '/v1/tenants/{tenantRef}/channels',
      '/v1/tenants/{tenantRef}/channels/{channelRef}/whatsapp-status',
      '/v1/numbers',
    ],
  });
  const remove = useChange('DELETE', '/v1/tenants/{tenantRef}/channels/{channelRef}', {
    invalidates: ['/v1/tenants/{tenantRef}/channels', '/v1/tenants/{tenantRef}/ivr-flows', '/v1/numbers'],
  });
  const name = line?.displayName ?? line?.address ?? '';
  return (
    <EditDrawer
      open={open}
      onClose={onClose}
      title={line === null ? 'New line' : name}
      dirty={dirty}
      saveLabel={line === null ? 'Create line' : 'Save'}
      onSave={async () => {
        const path = { tenantRef, channelRef: line?.ref ?? newRef('channel_ref', draft.ref, taken) };
        await put.mutateAsync({ path, body: bodyOf(draft) });
        toasts.add({ title: line === null ? 'The line was created' : 'Saved', tone: 'positive' });
      }}
      above={
        <>
          <CallPath tenantRef={tenantRef} line={line} draft={draft} around={around} />
          {line !== null && <LineSummary tenantRef={tenantRef} line={line} around={around} />}
        </>
      }
      {...(line !== null && {
        dialogs: (
          <ConfirmAction
            open={asking}
            onClose={() => setAsking(false)}
            title={`Delete ${name}?`}
            confirmLabel="Delete line"
            tone="negative"
            onConfirm={async () => {
              await remove.mutateAsync({ path: { tenantRef, channelRef: line.ref } });
              toasts.add({ title: `${name} was deleted` });
              onClose();
            }}
          >
            Calls to {line.address} will be rejected, and its number can be used for another line. Past calls
            are kept. To stop the line temporarily, disable it instead. This cannot be undone.
          </ConfirmAction>
        ),
        aside: (
          <Button tone="plain" onClick={() => setAsking(true)}>
            Delete
          </Button>
        ),
      })}
    >
      <LineFields {...{ draft, change, around, taken }} isNew={line === null} />
      <InboundFields {...{ draft, change, around }} />
      <OtherFields {...{ draft, change }} />
    </EditDrawer>
  );
}
