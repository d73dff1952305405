'use client';

import { Button, EmptyState, Page, Table, useToasts, whenOpen } from '@clarion/ui';
import { ListTree, Plus } from 'lucide-react';
import nextDynamic from 'next/dynamic.js';
import { useEffect, useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import type { Flow } from '#lib/dashboard/edit/resources.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { flowAddress } from '#lib/flow-builder/address.ts';
import { unsavedDraftRefs } from '#lib/flow-builder/unsaved-draft-storage.ts';
import { isTemplate, templateNames, templateLabels } from '#lib/flow-builder/template-names.ts';
import { columnsOf } from './columns.tsx';

const NewFlow = whenOpen(
  async () => (await import('./NewFlow.tsx')).NewFlow,
  ({ open }) => open,
);

/** Contains the draft schemas, so it is loaded only if there is an unsaved draft. */
const UnsavedFlows = nextDynamic(async () => (await import('./UnsavedFlows.tsx')).UnsavedFlows, {
  ssr: false,
});

const LIST = '/v1/tenants/{tenantRef}/ivr-flows';

export function FlowsPage({ tenantRef }: { tenantRef: string }) {
  const me = useMe();
  const url = useUrlState();
  const toasts = useToasts();
  const path = { tenantRef };
  const flows = useGet(LIST, { path });
  const lines = useGet('/v1/tenants/{tenantRef}/channels', { path });
  const queues = useGet('/v1/tenants/{tenantRef}/queues', { path });
  const [deleting, setDeleting] = useState<Flow | null>(null);
  const remove = useChange('DELETE', '/v1/tenants/{tenantRef}/ivr-flows/{flowRef}', { invalidates: [LIST] });
  const manages = me.may('manage');
  const begin = (template: string) => url.set({ new: template });
  const asked = url.get('new');
  const [left, setLeft] = useState<readonly string[]>([]);
  useEffect(() => setLeft(unsavedDraftRefs(tenantRef)), [tenantRef]);
  return (
    <Page
      title="IVR flows"
      description="Flows answer calls with messages, menus and opening hours, and send callers to a queue or an agent."
      actions={
        manages && (
          <Button tone="accent" icon={<Plus className="size-4" />} onClick={() => begin('menu')}>
            New flow
          </Button>
        )
      }
    >
      {manages && left.length > 0 && flows.data !== undefined && (
        <UnsavedFlows tenantRef={tenantRef} refs={left} stored={flows.data.ivrFlows} />
      )}
      {flows.error !== null ? (
        <ReadProblem what="The flows" problem={flows.error} onRetry={() => void flows.refetch()} />
      ) : (
        <Table
          label="IVR flows"
          columns={columnsOf({
            tenantRef,
            lines: lines.data?.channels ?? [],
            queues: queues.data?.queues ?? [],
            manages,
            onDelete: setDeleting,
          })}
          rows={flows.data?.ivrFlows}
          rowKey={({ ref }) => ref}
          rowHref={({ ref }) => flowAddress(tenantRef, ref)}
          stacked
          empty={
            <EmptyState
              icon={<ListTree />}
              title="No flows yet"
              {...(manages && { action: <Templates onChoose={begin} /> })}
            >
              Without a flow, callers of a line wait in its queue. A flow can greet them first and ask what
              they need.
            </EmptyState>
          }
        />
      )}
      <NewFlow
        open={manages && asked !== ''}
        template={isTemplate(asked) ? asked : 'menu'}
        tenantRef={tenantRef}
        lines={lines.data?.channels}
        taken={flows.data?.ivrFlows ?? []}
        onClose={() => url.set({ new: null })}
      />
      <ConfirmAction
        open={deleting !== null}
        title={`Delete flow ${deleting?.name ?? ''}?`}
        confirmLabel="Delete flow"
        onConfirm={async () => {
          if (deleting === null) return;
          await remove.mutateAsync({ path: { tenantRef, flowRef: deleting.ref } });
          toasts.add({ title: `${deleting.name} was deleted` });
        }}
        tone="negative"
        onClose={() => setDeleting(null)}
      >
        New calls to the line go to its other flows or its queue. Calls that are in the flow now continue. Its
        audio files and queues are kept. This cannot be undone.
      </ConfirmAction>
    </Page>
  );
}

function Templates({ onChoose }: { onChoose(template: string): void }) {
  return (
    <div className="grid w-full gap-2 text-left">
      {templateNames.map((name) => (
        <button
          key={name}
          type="button"
          onClick={() => onChoose(name)}
          className="cl-focus rounded-panel border border-line px-4 py-3 text-left hover:bg-raised"
        >
          <span className="block text-md font-medium text-ink">{templateLabels[name].label}</span>
          <span className="block text-md text-muted">{templateLabels[name].note}</span>
        </button>
      ))}
    </div>
  );
}
