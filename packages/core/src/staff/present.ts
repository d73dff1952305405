import type { StaffUser } from '@clarion/db';
import type { UserResource } from '@clarion/protocol/v1/account/users';

export const presentUser = (user: StaffUser): UserResource => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  status: user.disabledAt ? 'DISABLED' : user.passwordHash === null ? 'INVITED' : 'ACTIVE',
  twoFactor: { enabled: user.totpConfirmedAt !== null, required: user.twoFactorRequired },
  lastSignInAt: user.lastSignInAt?.toISOString() ?? null,
  createdAt: user.createdAt.toISOString(),
});
