'use client';

/** The selected tenant: from the URL, otherwise the last selected one, otherwise the first. */
import { useParams } from 'next/navigation.js';
import { useEffect, useState } from 'react';
import { useGet } from './queries.ts';
import { useMe } from './me.tsx';
import type { Answer } from './request.ts';

const LAST_TENANT = 'clarion-tenant';

export type TenantEntry = Pick<Answer<'GET', '/v1/tenants'>['tenants'][number], 'ref' | 'name' | 'status'>;
export interface OpenTenant {
  ref: string | null;
  /** Undefined while loading. A launched user has one. */
  all: readonly TenantEntry[] | undefined;
}

export function useTenant(): OpenTenant {
  const me = useMe();
  const { tenantRef: encoded } = useParams<{ tenantRef?: string }>();
  const here = encoded === undefined ? null : decodeURIComponent(encoded);
  const [last, setLast] = useState<string | null>(null);
  const only = me.tenantRef;
  const list = useGet('/v1/tenants', {}, { enabled: only === null });
  const one = useGet(
    '/v1/tenants/{tenantRef}',
    { path: { tenantRef: only ?? '' } },
    { enabled: only !== null },
  );

  useEffect(() => {
    const key = `${LAST_TENANT}:${me.consumer.slug}`;
    if (here === null) setLast(localStorage.getItem(key));
    else localStorage.setItem(key, here);
  }, [here, me.consumer.slug]);

  if (only !== null) return { ref: only, all: one.data && [one.data.tenant] };
  const all = list.data?.tenants;
  const known = all?.some(({ ref }) => ref === last) ? last : null;
  return { ref: here ?? known ?? all?.[0]?.ref ?? null, all };
}
