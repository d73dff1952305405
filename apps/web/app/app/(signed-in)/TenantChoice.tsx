'use client';

import { ButtonLink, Skeleton, TenantSwitcher, TextLink } from '@clarion/ui';
import { usePathname, useRouter } from 'next/navigation.js';
import { useMe } from '#lib/dashboard/me.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import type { OpenTenant } from '#lib/dashboard/use-tenant.ts';

/** Selecting a tenant keeps the current page. */
export function TenantChoice({ tenant }: { tenant: OpenTenant }) {
  const me = useMe();
  const router = useRouter();
  const pathname = usePathname();
  if (tenant.all === undefined) return <Skeleton className="h-9" />;
  if (tenant.all.length === 0) {
    if (!me.may('manage')) return <p className="px-2.5 text-muted">No tenants yet</p>;
    return (
      <ButtonLink size="sm" href="/app/tenants?new=1" className="w-full">
        Create your first tenant
      </ButtonLink>
    );
  }
  if (me.tenantRef !== null) return <p className="truncate px-2.5 font-medium">{tenant.all[0]?.name}</p>;
  return (
    <TenantSwitcher
      tenants={tenant.all.map(({ ref, name }) => ({ value: ref, label: name, note: ref }))}
      value={tenant.ref}
      onChange={(ref) => router.push(sameSection(pathname, ref))}
      footer={<TextLink href="/app/tenants">All tenants</TextLink>}
    />
  );
}

/** Every tenant has the list pages; a single call, queue or flow belongs to one tenant. */
function sameSection(pathname: string, ref: string): string {
  const [, section = 'live'] = /^\/app\/t\/[^/]+\/([^/]+)/.exec(pathname) ?? [];
  return `${tenantHome(ref)}/${section}`;
}
