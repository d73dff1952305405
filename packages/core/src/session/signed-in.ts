/** For verbs that only a person in the dashboard may call. */
import { ApiError } from '@clarion/protocol';
import type { Ctx, SessionCaller } from '../context.ts';

/** @throws forbidden for an API key */
export function sessionOf({ session }: Ctx): SessionCaller {
  if (!session) {
    throw new ApiError('forbidden', {
      message: 'Only a user who is signed in to the dashboard can do this.',
    });
  }
  return session;
}

/** @throws forbidden for an API key and for a launched person, who has no dashboard account */
export function staffIdOf(ctx: Ctx): number {
  const { staffUserId } = sessionOf(ctx);
  if (staffUserId === null) {
    throw new ApiError('forbidden', {
      message: 'You opened the dashboard from another product and have no account of your own here.',
    });
  }
  return staffUserId;
}
