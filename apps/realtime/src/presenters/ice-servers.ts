/** The relays that an agent's browser may use when it cannot reach media directly. Without TURN in the settings there are none. */
import { createHmac } from 'node:crypto';
import type { IceServer } from '@clarion/protocol/socket';

/** Apps ask again before a call uses credentials that are minutes old; a relay that is in use outlives them. */
export const TURN_CREDENTIAL_SECONDS = 60 * 60;

export interface Turn {
  urls: string[];
  /** Shared with the TURN servers: coturn's `static-auth-secret`. */
  secret: string;
}

/**
 * Credentials as coturn checks them with `use-auth-secret` (draft-uberti-behave-turn-rest-00, section 2.2): the username says
 * until when (Unix time) and for whom, the credential is its HMAC-SHA1 in base64.
 */
export function iceServersFor(turn: Turn | null, who: number | string, now: Date): IceServer[] {
  if (!turn) return [];
  const expiresAt = Math.floor(now.getTime() / 1000) + TURN_CREDENTIAL_SECONDS;
  const username = `${expiresAt}:${who}`;
  const credential = createHmac('sha1', turn.secret).update(username).digest('base64');
  return [{ urls: turn.urls, username, credential }];
}
