/** Labels of roles. */
import type { Me } from './me.tsx';

const ROLES: Record<Me['role'], string> = { OWNER: 'Owner', ADMIN: 'Admin', SUPERVISOR: 'Supervisor' };
export const roleName = (role: Me['role']): string => ROLES[role];
