'use client';

/** Who is signed in, and what they may do: to show no button that would be refused. What is allowed is decided by `/v1` alone. */
import type { EndpointRole } from '@clarion/protocol/v1/endpoint';
import { createContext, use, type ReactNode } from 'react';
import { mayDo } from '../api/roles.ts';
import type { Answer } from './request.ts';

export type Me = Answer<'GET', '/v1/me'>['me'];

const MeContext = createContext<Me | null>(null);

export function MeProvider({ me, children }: { me: Me; children: ReactNode }) {
  return <MeContext value={me}>{children}</MeContext>;
}

export type SignedIn = Me & { may(role: EndpointRole): boolean };

/** Only below the signed-in layout. */
export function useMe(): SignedIn {
  const me = use(MeContext);
  if (me === null) throw new Error('useMe works only in pages of the dashboard');
  return { ...me, may: (role) => mayDo({ role: me.role, launched: me.kind === 'LAUNCHED' }, role) };
}
