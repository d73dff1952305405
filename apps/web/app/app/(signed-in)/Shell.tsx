'use client';

import { AppShell, LinkProvider, Notice, ToastProvider } from '@clarion/ui';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { usePathname } from 'next/navigation.js';
import { useState, type ReactNode } from 'react';
import { MeProvider, useMe, type Me } from '#lib/dashboard/me.tsx';
import { navigation } from '#lib/dashboard/navigation.tsx';
import { RequestProblem } from '#lib/dashboard/request.ts';
import { useTenant } from '#lib/dashboard/use-tenant.ts';
import { signInAddress } from '#lib/session/page-after.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { GoTo } from './GoTo.tsx';
import { RouterLink } from './RouterLink.tsx';
import { TenantChoice } from './TenantChoice.tsx';

/** Cached data is shown immediately and refetched in the background. */
const FRESH_MS = 10_000;
const RETRIES = 2;

export function Shell({ me, children }: { me: Me; children: ReactNode }) {
  const [client] = useState(() => makeClient(me));
  return (
    <QueryClientProvider client={client}>
      <MeProvider me={me}>
        <LinkProvider as={RouterLink}>
          <ToastProvider>
            <Frame>{children}</Frame>
          </ToastProvider>
        </LinkProvider>
      </MeProvider>
    </QueryClientProvider>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const me = useMe();
  const pathname = usePathname();
  const tenant = useTenant();
  return (
    <AppShell
      brand={<Brand name={me.consumer.name} />}
      nav={navigation(me, tenant.ref)}
      current={pathname}
      top={<TenantChoice tenant={tenant} />}
      tools={<GoTo tenantRef={tenant.ref} tenants={tenant.all} />}
      account={<AccountMenu />}
      banner={
        me.consumer.status === 'SUSPENDED' && (
          <Notice tone="negative" title="This account is suspended" className="m-4">
            Calls and changes are rejected. Contact the operator of this service.
          </Notice>
        )
      }
    >
      {children}
    </AppShell>
  );
}

const Brand = ({ name }: { name: string }) => (
  <RouterLink href="/app" className="cl-focus flex min-w-0 items-center gap-2 rounded-md">
    <span aria-hidden className="grid size-7 shrink-0 place-items-center rounded-lg bg-accent text-on-accent">
      <svg viewBox="0 0 24 24" className="size-4" fill="none" stroke="currentColor" strokeWidth="2.5">
        <path strokeLinecap="round" d="M5 10v4M10 6v12M15 9v6M20 11v2" />
      </svg>
    </span>
    <span className="truncate text-md font-semibold">{name}</span>
  </RouterLink>
);

function makeClient(me: Me): QueryClient {
  const leave = (error: unknown) => leaveWhenSignedOut(me, error);
  return new QueryClient({
    queryCache: new QueryCache({ onError: leave }),
    mutationCache: new MutationCache({ onError: leave }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // Only network failures are retried: a rejected request is rejected again.
        retry: (count, error) => count < RETRIES && !(error instanceof RequestProblem && isFinal(error)),
      },
    },
  });
}

/** The session ended while the page was open: sign in and come back to it; who was launched begins in their product again. */
function leaveWhenSignedOut({ kind }: Me, error: unknown): void {
  if (!(error instanceof RequestProblem && error.status === 401)) return;
  const { pathname, search } = location;
  location.assign(kind === 'LAUNCHED' ? '/app/launch' : signInAddress(pathname + search));
}

const isFinal = ({ status }: RequestProblem) => status >= 400 && status < 500 && status !== 429;
