/** Reads the caller from the headers of an INVITE. A withheld number is dropped here. Pure. */
import { isWithheldUser, WITHHELD_ADDRESS } from '@clarion/protocol';
import type { InviteQuestion } from '@clarion/protocol/media';
import { parseNameAddr } from './headers.ts';

type Caller = Pick<InviteQuestion, 'withheld' | 'fromUser' | 'fromName' | 'assertedUser'>;

const WITHHELD: Caller = {
  withheld: true,
  fromUser: WITHHELD_ADDRESS,
  fromName: null,
  assertedUser: null,
};

/** RFC 3323 section 4.2 and RFC 3325 section 9.3. `none`, `session`, `critical` and `history` do not withhold the caller. */
const WITHHOLDING = new Set(['id', 'user', 'header']);

/** The host of an anonymous From (RFC 3323 section 4.1.1.3). */
const ANONYMOUS_HOST = 'anonymous.invalid';

/** @param header the value of a header by its name, several of one name joined with commas */
export function callerOf(header: (name: string) => string | undefined): Caller {
  const from = parseNameAddr(header('From'));
  const asserted = parseNameAddr(header('P-Asserted-Identity'));
  const anonymous =
    from?.host.toLowerCase() === ANONYMOUS_HOST ||
    [from, asserted].some((identity) => identity !== null && isWithheldUser(identity.user));
  if (anonymous || asksForPrivacy(header('Privacy')) || isPrivateParty(header('Remote-Party-ID')))
    return WITHHELD;
  return {
    withheld: false,
    fromUser: from?.user ?? '',
    fromName: from?.name ?? null,
    assertedUser: asserted?.user ?? null,
  };
}

/** Values are separated by semicolons; some carriers use commas. */
const asksForPrivacy = (privacy: string | undefined): boolean =>
  (privacy ?? '').split(/[;,]/).some((value) => WITHHOLDING.has(value.trim().toLowerCase()));

/** The predecessor of RFC 3325, `…;privacy=full`: older carriers still send it. */
const isPrivateParty = (remoteParty: string | undefined): boolean =>
  /;\s*privacy\s*=\s*"?(?:full|uri)/i.test(remoteParty ?? '');
