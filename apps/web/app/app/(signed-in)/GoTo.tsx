'use client';

import { CommandMenu, IconButton, type CommandGroup } from '@clarion/ui';
import { Building2, Search } from 'lucide-react';
import { useRouter } from 'next/navigation.js';
import { useState } from 'react';
import { useMe } from '#lib/dashboard/me.tsx';
import { navigation, tenantHome } from '#lib/dashboard/navigation.tsx';
import type { OpenTenant } from '#lib/dashboard/use-tenant.ts';

interface GoToProps {
  tenantRef: string | null;
  tenants: OpenTenant['all'];
}

/** Every page and tenant by typing. Ctrl+K or ⌘K opens it from anywhere. */
export function GoTo({ tenantRef, tenants = [] }: GoToProps) {
  const me = useMe();
  const router = useRouter();
  const [open, setOpen] = useState(false);
  const pages = navigation(me, tenantRef)
    .flatMap(({ items }) => items)
    .filter(({ soon }) => !soon)
    .map(({ href, label, icon }) => ({ id: href, label, icon, onSelect: () => router.push(href) }));
  const groups: CommandGroup[] = [
    { label: 'Pages', items: pages },
    {
      label: 'Tenants',
      items: tenants.map(({ ref, name }) => ({
        id: `tenant ${ref}`,
        label: name,
        hint: ref,
        icon: <Building2 />,
        onSelect: () => router.push(`${tenantHome(ref)}/live`),
      })),
    },
  ];
  return (
    <>
      <IconButton label="Go to" icon={<Search />} onClick={() => setOpen(true)} />
      <CommandMenu open={open} onOpenChange={setOpen} groups={groups} />
    </>
  );
}
