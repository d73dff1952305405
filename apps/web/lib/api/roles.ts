/** Which access levels each dashboard role has. Pure and without server code, so that pages can hide what would be rejected. */
import type { EndpointRole } from '@clarion/protocol/v1/endpoint';

type StaffRole = 'OWNER' | 'ADMIN' | 'SUPERVISOR';

const STAFF_ROLES: Record<StaffRole, readonly EndpointRole[]> = {
  SUPERVISOR: ['view', 'supervise'],
  ADMIN: ['view', 'supervise', 'manage', 'provision'],
  OWNER: ['view', 'supervise', 'manage', 'provision', 'own'],
};
/** Staff of a business have access to their tenant, never to the settings of the account. */
const LAUNCHED_ROLES: Record<StaffRole, readonly EndpointRole[]> = {
  SUPERVISOR: ['view', 'supervise'],
  ADMIN: ['view', 'supervise', 'manage'],
  OWNER: ['view', 'supervise', 'manage'],
};

/** `launched`: signed in to one tenant with a launch token. */
export const mayDo = (
  { role, launched }: { role: StaffRole; launched: boolean },
  what: EndpointRole,
): boolean => (launched ? LAUNCHED_ROLES : STAFF_ROLES)[role].includes(what);
