/** The TURN servers for browsers that cannot reach media directly. Without TURN in the settings there are none. */
import { createHmac } from 'node:crypto';
import type { IceServer } from '@clarion/protocol/socket';

/** Apps request new credentials before a call when theirs are minutes old; an allocation outlives the credentials that created it. */
export const TURN_CREDENTIAL_SECONDS = 60 * 60;

export interface Turn {
  urls: string[];
  /** Shared with the TURN servers: coturn's `static-auth-secret`. */
  secret: string;
}

/**
 * Credentials as coturn checks them with `use-auth-secret` (draft-uberti-behave-turn-rest-00, section 2.2): the username contains the
 * expiry (Unix time) and the user, the credential is its HMAC-SHA1 in base64.
 */
export function iceServersFor(turn: Turn | null, who: number | string, now: Date): IceServer[] {
  if (!turn) return [];
  const expiresAt = Math.floor(now.getTime() / 1000) + TURN_CREDENTIAL_SECONDS;
  const username = `${expiresAt}:${who}`;
  const credential = createHmac('sha1', turn.secret).update(username).digest('base64');
  return [{ urls: turn.urls, username, credential }];
}
