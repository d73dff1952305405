/** Which endpoints' roles each of the dashboard's people has. Pure, and free of the server: pages hide what would be refused. */
import type { EndpointRole } from '@clarion/protocol/v1/endpoint';

type StaffRole = 'OWNER' | 'ADMIN' | 'SUPERVISOR';

const STAFF_ROLES: Record<StaffRole, readonly EndpointRole[]> = {
  SUPERVISOR: ['look', 'supervise'],
  ADMIN: ['look', 'supervise', 'manage', 'provision'],
  OWNER: ['look', 'supervise', 'manage', 'provision', 'own'],
};
/** A business's people look after their tenant, never after what the account has in common. */
const LAUNCHED_ROLES: Record<StaffRole, readonly EndpointRole[]> = {
  SUPERVISOR: ['look', 'supervise'],
  ADMIN: ['look', 'supervise', 'manage'],
  OWNER: ['look', 'supervise', 'manage'],
};

/** `launched`: into one tenant, by a launch token. */
export const mayDo = (
  { role, launched }: { role: StaffRole; launched: boolean },
  what: EndpointRole,
): boolean => (launched ? LAUNCHED_ROLES : STAFF_ROLES)[role].includes(what);
