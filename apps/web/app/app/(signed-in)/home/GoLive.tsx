'use client';

import { Button, Card, ProgressBar, Section, Skeleton, TextLink } from '@clarion/ui';
import { Check, Circle } from 'lucide-react';
import { useState } from 'react';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';

type Item = Answer<'GET', '/v1/checklist'>['checklist']['done'][number];

const CHECK_EVERY_MS = 60_000;

/** The label of each check, and the page on which it is fixed. */
const CHECKS: Record<string, { title: string; link: string; page: (tenantRef: string) => string }> = {
  tenants: { title: 'Tenant', link: 'Create a tenant', page: () => '/app/tenants' },
  lines: { title: 'Line', link: 'Add a line', page: (ref) => `${tenantHome(ref)}/lines` },
  routes: {
    title: 'Line routing',
    link: 'View lines',
    page: (ref) => `${tenantHome(ref)}/lines`,
  },
  whatsapp_tokens: {
    title: 'WhatsApp access token',
    link: 'View lines',
    page: (ref) => `${tenantHome(ref)}/lines`,
  },
  whatsapp_webhooks: {
    title: 'WhatsApp webhooks',
    link: 'View lines',
    page: (ref) => `${tenantHome(ref)}/lines`,
  },
  agents: { title: 'Agents', link: 'Add agents', page: (ref) => `${tenantHome(ref)}/agents` },
  queue_members: {
    title: 'Queue members',
    link: 'View queues',
    page: (ref) => `${tenantHome(ref)}/queues`,
  },
  recent_calls: {
    title: 'Answered call',
    link: 'Open the agent phone',
    page: (ref) => `${tenantHome(ref)}/phone`,
  },
  signing_keys: { title: 'Signing key', link: 'View keys', page: () => '/app/keys' },
  webhook: { title: 'Webhook', link: 'Set up', page: () => '/app/webhook' },
  deliveries: {
    title: 'Event delivery',
    link: 'View deliveries',
    page: () => '/app/webhook?status=FAILED',
  },
  push: { title: 'Push notifications', link: 'Set up (optional)', page: () => '/app/push' },
};
/** In the recommended order. */
const ORDER = Object.keys(CHECKS);

/** The go-live checklist, collapsed once everything is done. */
export function GoLive({ tenantRef }: { tenantRef: string | null }) {
  const [open, setOpen] = useState<boolean | null>(null);
  const { data } = useGet('/v1/checklist', tenantRef === null ? {} : { query: { tenant_ref: tenantRef } }, {
    refetchInterval: CHECK_EVERY_MS,
    keepPrevious: true,
  });
  if (data === undefined) return <Skeleton className="h-40" />;
  const { done, missing } = data.checklist;
  const shown = open ?? missing.length > 0;
  const items = [
    ...missing.map((item) => ({ ...item, ok: false })),
    ...done.map((item) => ({ ...item, ok: true })),
  ]
    .filter(({ check }) => check in CHECKS)
    .toSorted((one, other) => ORDER.indexOf(one.check) - ORDER.indexOf(other.check));
  return (
    <Section
      title="Go-live checklist"
      description="What your account still needs before it takes real calls. Assistants see the same checklist."
      actions={
        <Button size="sm" aria-expanded={shown} onClick={() => setOpen(!shown)}>
          {shown ? 'Hide checklist' : 'Show checklist'}
        </Button>
      }
    >
      <ProgressBar
        label={`${done.length} of ${items.length} done`}
        value={Math.round((done.length / Math.max(1, items.length)) * 100)}
      />
      {shown && (
        <Card flush>
          <ul className="divide-y divide-line">
            {items.map((item) => (
              <Row key={`${item.check} ${item.tenantRef}`} item={item} ok={item.ok} tenantRef={tenantRef} />
            ))}
          </ul>
        </Card>
      )}
    </Section>
  );
}

function Row({ item, ok, tenantRef }: { item: Item; ok: boolean; tenantRef: string | null }) {
  const known = CHECKS[item.check];
  if (known === undefined) return null;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 sm:px-5">
      {ok ? (
        <Check aria-label="Done" className="size-4.5 shrink-0 text-positive" />
      ) : (
        <Circle aria-label="To do" className="size-4.5 shrink-0 text-muted" />
      )}
      <div className="min-w-0 flex-1 basis-56">
        <p className={`text-md font-medium ${ok ? 'text-muted' : 'text-ink'}`}>{known.title}</p>
        <p className="text-sm text-pretty text-muted">{item.message}</p>
      </div>
      {!ok && <TextLink href={known.page(item.tenantRef ?? tenantRef ?? '')}>{known.link}</TextLink>}
    </li>
  );
}
