/** The context of a verb for a person without a session who has just proved their identity. */
import type { Consumer, StaffUser } from '@clarion/db';
import type { Ctx } from '../context.ts';
import type { Person } from '../session/open-session.ts';

export type StaffRow = StaffUser & { consumer: Consumer };
/** The context before the person is known. */
export type Anonymous = Omit<Ctx, 'consumer' | 'actor' | 'surface' | 'session'>;

export const personContext = (ctx: Anonymous, { id, name, consumer }: StaffRow): Ctx => ({
  ...ctx,
  consumer,
  actor: { kind: 'dashboardUser', id, name },
  surface: 'dashboard',
});

export const sessionPerson = ({ id, name, role, consumerId }: StaffUser): Person => ({
  consumerId,
  name,
  role,
  staffUserId: id,
  tenantId: null,
  userRef: null,
  signingKeyId: null,
});
