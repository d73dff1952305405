'use client';

/** The signed-in user and their permissions, to hide actions that would be rejected. Only `/v1` enforces them. */
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

/** Only inside the signed-in layout. */
export function useMe(): SignedIn {
  const me = use(MeContext);
  if (me === null) throw new Error('useMe works only in pages of the dashboard');
  return { ...me, may: (role) => mayDo({ role: me.role, launched: me.kind === 'LAUNCHED' }, role) };
}
