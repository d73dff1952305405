'use client';

/** Who is signed in, and what they may do: to show no button that would be refused. What is allowed is decided by `/v1` alone. */
import type { EndpointRole } from '@clarion/protocol/v1/endpoint';
import { createContext, use, type ReactNode } from 'react';
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
  if (me === null) throw new Error('useMe is for pages of the dashboard');
  return { ...me, may: (role) => mayDo(me, role) };
}

const ALLOWED: Record<Me['role'], readonly EndpointRole[]> = {
  OWNER: ['look', 'supervise', 'manage', 'provision', 'own'],
  ADMIN: ['look', 'supervise', 'manage', 'provision'],
  SUPERVISOR: ['look', 'supervise'],
};

/** A launched person's ADMIN sets up one tenant, never the account's trunks. */
export const mayDo = ({ kind, role }: Pick<Me, 'kind' | 'role'>, wanted: EndpointRole): boolean =>
  ALLOWED[role].includes(wanted) && !(kind === 'LAUNCHED' && wanted === 'provision');
