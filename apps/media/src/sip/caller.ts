/** Reads the caller from the headers of an INVITE. A withheld number is dropped here. Pure. */
import { isWithheldUser, WITHHELD_ADDRESS } from '@clarion/protocol';
import type { InviteRequest } from '@clarion/protocol/media';
import { parseNameAddr } from './headers.ts';

type Caller = Pick<InviteRequest, 'withheld' | 'fromUser' | 'fromName' | 'assertedUser'>;

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

/** @param header returns the value of a header; several headers of one name are joined with commas */
export function callerOf(header: (name: string) => string | undefined): Caller {
  const from = parseNameAddr(header('From'));
  const asserted = parseNameAddr(header('P-Asserted-Identity'));
  const anonymous =
    from?.host.toLowerCase() === ANONYMOUS_HOST ||
    [from, asserted].some((identity) => identity !== null && isWithheldUser(identity.user));
  const hidden = hiddenOfParty(header('Remote-Party-ID'));
  if (anonymous || asksForPrivacy(header('Privacy')) || hidden.has('full') || hidden.has('uri'))
    return WITHHELD;
  return {
    withheld: false,
    fromUser: from?.user ?? '',
    fromName: hidden.has('name') ? null : (from?.name ?? null),
    assertedUser: asserted?.user ?? null,
  };
}

/** Values are separated by semicolons; some carriers use commas. */
const asksForPrivacy = (privacy: string | undefined): boolean =>
  (privacy ?? '').split(/[;,]/).some((value) => WITHHOLDING.has(value.trim().toLowerCase()));

/**
 * The values of `privacy` in a Remote-Party-ID (draft-ietf-sip-privacy-04), the predecessor of RFC 3325 that older
 * carriers still send: `name` withholds the display name, `uri` the number, `full` both. They may be a list or
 * repeated.
 */
function hiddenOfParty(remoteParty: string | undefined): Set<string> {
  const [bare = '', ...bracketed] = (remoteParty ?? '').split('<');
  const parties =
    bracketed.length === 0 ? [bare] : bracketed.map((text) => text.slice(text.indexOf('>') + 1));
  return new Set(
    parties
      .map((parameters) => parameters.split(';').map(nameAndValues))
      // An entry for the called party does not refer to the caller.
      .filter((parameters) => !parameters.some(([name, first]) => name === 'party' && first === 'called'))
      .flatMap((parameters) =>
        parameters.filter(([name]) => name === 'privacy').flatMap(([, ...values]) => values),
      ),
  );
}

/** `privacy="name,uri-network"` → `privacy`, `name`, `uri`. The suffix only tells who withholds it. */
const nameAndValues = (parameter: string): string[] =>
  parameter
    .toLowerCase()
    .split(/[=,]/)
    .map((part) => part.replaceAll('"', '').replace(/-.*/, '').trim());
