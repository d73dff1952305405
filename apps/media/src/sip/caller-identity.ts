/** How a carrier sees the caller of an outbound call: From, Contact, P-Asserted-Identity and Privacy. Pure. */
import type { DialAttempt } from '@clarion/protocol/media';
import { displayName, escapeUser } from './headers.ts';

/** `localhost` is replaced by the address of the SIP server (its own convention). */
const OUR_ADDRESS = 'localhost';
/** A host without characters that could end the header that contains it. */
const HOST = /^[\w.-]+$/;
/** RFC 3323 §4.1.1.3. */
const ANONYMOUS = '"Anonymous" <sip:anonymous@anonymous.invalid>';

/** RFC 3325 for the asserted identity, RFC 3323 for privacy. */
export function callerHeaders({ trunk, caller, callerName }: DialAttempt): Record<string, string> {
  const { fromDomain, fromUser, userPhone, assertedIdentity, hideCallerId } = trunk.identity;
  const domain = fromDomain !== null && HOST.test(fromDomain) ? fromDomain : OUR_ADDRESS;
  const name = callerName === null ? '' : displayName(callerName);
  const named = (uri: string) => (name === '' ? `<${uri}>` : `"${name}" <${uri}>`);
  const number = `sip:${escapeUser(caller)}@${domain}`;
  // An account name is not a telephone number (RFC 3261 §19.1.1).
  const from =
    fromUser === null
      ? `${number}${userPhone ? ';user=phone' : ''}`
      : `sip:${escapeUser(fromUser)}@${domain}`;
  const contactUser = hideCallerId ? 'anonymous' : (fromUser ?? caller);
  return {
    From: hideCallerId ? ANONYMOUS : named(from),
    Contact: `<sip:${escapeUser(contactUser)}@${OUR_ADDRESS}>`,
    ...(assertedIdentity && { 'P-Asserted-Identity': named(number) }),
    ...(hideCallerId && { Privacy: 'id' }),
  };
}
