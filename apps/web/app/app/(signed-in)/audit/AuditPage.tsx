'use client';

import {
  ChoiceSelect,
  DateTime,
  Drawer,
  DescriptionList,
  EmptyState,
  JsonView,
  LoadMore,
  Page,
  RelativeTime,
  Table,
  type Column,
} from '@clarion/ui';
import { ScrollText } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useMe } from '#lib/dashboard/me.tsx';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { useAuditLog, type AuditEntry } from './use-audit-log.ts';
import { actionLabel, actorKinds, actorName, nouns, surfaceName } from './audit-labels.ts';

const ANY = '';

export function AuditPage() {
  const me = useMe();
  const url = useUrlState();
  const log = useAuditLog({ action: url.get('action'), actor: url.get('actor') });
  const open = log.entries?.find(({ id }) => String(id) === url.get('entry')) ?? null;
  const columns: Column<AuditEntry>[] = [
    {
      key: 'what',
      header: 'Activity',
      cell: ({ actor, action, target }) => (
        <span className="wrap-anywhere">
          <span className="font-medium">{actorName(actor)}</span>{' '}
          <span className="font-normal text-muted">{actionLabel(action)}</span>{' '}
          <span className="font-normal">{target}</span>
        </span>
      ),
    },
    ...(me.kind === 'STAFF'
      ? [
          {
            key: 'tenant',
            header: 'Tenant',
            hideBelow: 'md' as const,
            cell: ({ tenantRef }: AuditEntry) =>
              tenantRef === null ? (
                <span className="text-muted">Account</span>
              ) : (
                <span className="font-mono text-sm">{tenantRef}</span>
              ),
          },
        ]
      : []),
    { key: 'surface', header: 'Source', hideBelow: 'lg', cell: ({ surface }) => surfaceName(surface) },
    { key: 'at', header: 'Time', nowrap: true, align: 'end', cell: ({ at }) => <RelativeTime at={at} /> },
  ];
  return (
    <Page
      title="Audit log"
      description="Every change, who made it and how, newest first."
      actions={
        <>
          <ChoiceSelect
            label="Action"
            choices={[{ value: ANY, label: 'All actions' }, ...nouns]}
            value={url.get('action')}
            onChoose={(action) => url.set({ action })}
          />
          <ChoiceSelect
            label="Actor"
            choices={[{ value: ANY, label: 'All actors' }, ...actorKinds]}
            value={url.get('actor')}
            onChoose={(actor) => url.set({ actor })}
          />
        </>
      }
    >
      {log.problem !== null ? (
        <ReadProblem what="The audit log" problem={log.problem} onRetry={log.retry} />
      ) : (
        <Table
          label="Audit log"
          columns={columns}
          rows={log.entries}
          rowKey={({ id }) => id}
          current={open?.id ?? null}
          onRowOpen={({ id }) => url.set({ entry: String(id) })}
          stacked
          empty={
            <EmptyState icon={<ScrollText />} title="No entries">
              {url.get('action') || url.get('actor')
                ? 'No entries match these filters. Choose “All actions” and “All actors” to see all entries.'
                : 'Changes made through the API, in the dashboard or by assistants appear here.'}
            </EmptyState>
          }
          footer={
            log.entries && log.entries.length > 0 && log.more !== null ? (
              <LoadMore onMore={log.more} busy={log.loadingMore} />
            ) : undefined
          }
        />
      )}
      <Drawer
        open={open !== null}
        onOpenChange={(next) => (next ? undefined : url.set({ entry: null }))}
        title={open === null ? '' : `${actorName(open.actor)} ${actionLabel(open.action)} ${open.target}`}
      >
        {open !== null && <Entry entry={open} />}
      </Drawer>
    </Page>
  );
}

const Entry = ({ entry }: { entry: AuditEntry }) => (
  <div className="flex flex-col gap-6">
    <DescriptionList
      items={[
        { term: 'Time', value: <DateTime at={entry.at} /> },
        { term: 'Actor', value: `${actorName(entry.actor)} (${entry.actor.kind} ${entry.actor.id})` },
        { term: 'Action', value: <code className="font-mono">{entry.action}</code> },
        { term: 'Target', value: entry.target, copy: entry.target },
        { term: 'Tenant', value: entry.tenantRef },
        { term: 'Source', value: surfaceName(entry.surface) },
      ]}
    />
    {entry.details !== null && <JsonView value={entry.details} />}
  </div>
);
