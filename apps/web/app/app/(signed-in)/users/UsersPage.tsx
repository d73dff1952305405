'use client';

import {
  Avatar,
  Badge,
  Button,
  EmptyState,
  Page,
  RelativeTime,
  Table,
  type Column,
  type Tone,
  whenOpen,
} from '@clarion/ui';
import { Plus, ShieldCheck, Users } from 'lucide-react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useMe } from '#lib/dashboard/me.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { roleName } from '#lib/dashboard/role-labels.ts';
import { UserDrawer } from './UserDrawer.tsx';

const InviteDrawer = whenOpen(
  async () => (await import('./InviteDrawer.tsx')).InviteDrawer,
  ({ open }) => open,
);

export type User = Answer<'GET', '/v1/users'>['users'][number];

/** The value of `open` in the URL that opens the invitation. */
const NEW = 'new';

const STATUS: Record<User['status'], { label: string; tone: Tone }> = {
  ACTIVE: { label: 'Active', tone: 'positive' },
  INVITED: { label: 'Invited', tone: 'accent' },
  DISABLED: { label: 'Disabled', tone: 'neutral' },
};

export function UsersPage() {
  const me = useMe();
  const url = useUrlState();
  const open = url.get('user');
  const { data, error, refetch } = useGet('/v1/users', {});
  const columns: Column<User>[] = [
    {
      key: 'name',
      header: 'Name',
      cell: ({ name, email }) => (
        <span className="flex min-w-0 items-center gap-3">
          <Avatar name={name} />
          <span className="flex min-w-0 flex-col">
            <span className="truncate font-medium">
              {name}
              {email === me.email && <span className="font-normal text-muted"> (you)</span>}
            </span>
            <span className="truncate text-xs font-normal text-muted">{email}</span>
          </span>
        </span>
      ),
    },
    { key: 'role', header: 'Role', cell: ({ role }) => roleName(role) },
    {
      key: 'status',
      header: 'Status',
      cell: ({ status }) => (
        <Badge tone={STATUS[status].tone} dot>
          {STATUS[status].label}
        </Badge>
      ),
    },
    { key: 'factors', header: 'Two-factor authentication', cell: (user) => <Factors user={user} /> },
    {
      key: 'seen',
      header: 'Last sign-in',
      hideBelow: 'md',
      cell: ({ lastSignInAt }) =>
        lastSignInAt === null ? (
          <span className="text-muted">Never</span>
        ) : (
          <RelativeTime at={lastSignInAt} />
        ),
    },
  ];
  return (
    <Page
      title="People"
      description="People who can sign in to this dashboard. Staff of your tenants open it from your product instead."
      actions={
        <Button tone="accent" icon={<Plus className="size-4" />} onClick={() => url.set({ user: NEW })}>
          Invite a person
        </Button>
      }
    >
      {error !== null ? (
        <ReadProblem what="The people of this account" problem={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="People"
          columns={columns}
          rows={data?.users}
          rowKey={({ id }) => id}
          current={open === NEW ? null : Number(open)}
          onRowOpen={({ id }) => url.set({ user: String(id) })}
          stacked
          empty={
            <EmptyState icon={<Users />} title="No people yet">
              Invite people by email.
            </EmptyState>
          }
        />
      )}
      <InviteDrawer open={open === NEW} onClose={() => url.set({ user: null })} />
      <UserDrawer
        user={data?.users.find(({ id }) => String(id) === open) ?? null}
        onClose={() => url.set({ user: null })}
      />
    </Page>
  );
}

function Factors({ user: { twoFactor } }: { user: User }) {
  if (twoFactor.enabled) {
    return (
      <span className="inline-flex items-center gap-1.5">
        <ShieldCheck aria-hidden className="size-4 text-positive" />
        On
      </span>
    );
  }
  return <span className="text-muted">{twoFactor.required ? 'Required' : 'Off'}</span>;
}
