/**
 * Masks the numbers and names that a party withholds (RFC 3323, RFC 3325) in all messages of its leg: a carrier repeats them in many
 * headers and in SDP, and writes a number in several forms. Pure.
 */
import { isWithheldUser } from '@clarion/protocol';
import { MASK } from '@clarion/protocol/ladder';

/** Headers that name the party that sent the message. */
const IDENTITY_HEADERS =
  /^(?:from|f|contact|m|p-asserted-identity|p-preferred-identity|remote-party-id|reply-to|referred-by|b|p-served-user|p-charge-info)[ \t]*:[ \t]*([^\r\n]*)/gim;
/** Headers that identify a person in a form that cannot be searched: a signed token, a location, a URL, free text. */
const OPAQUE_HEADERS =
  /^(identity|y|identity-info|n|geolocation|p-access-network-info|p-charge-info|call-info|subject|s|user-to-user)([ \t]*:)[^\r\n]*/gim;
const CALLED_HEADERS = /^(?:to|t)[ \t]*:[ \t]*([^\r\n]*)/im;
const URI_USER = /\b(?:sips?:([^@;>,\s]+)@|tel:([^;>,\s]+))/gi;
const DISPLAY_NAME = /"((?:[^"\\]|\\.)*)"\s*<|(?:^|,)\s*([^"<>,:;]+?)\s*</g;

/** Digits at the end of a number that stay the same in its national and international forms. */
const SIGNIFICANT_DIGITS = 7;
/** A shorter text is masked only where a URI or a name is. */
const MIN_ANYWHERE_CHARS = 4;

const MAX_IDENTITIES = 24;

export interface Identity {
  users: ReadonlySet<string>;
  names: ReadonlySet<string>;
}

/** Whom a message names as its sender, without the called party and without names such as `anonymous`. */
export function identityOf(message: string): Identity {
  const headers = headersOf(message);
  const called = new Set(
    usersIn(`${message.slice(0, message.indexOf('\n'))} ${CALLED_HEADERS.exec(headers)?.[1] ?? ''}`),
  );
  const users = new Set<string>();
  const names = new Set<string>();
  for (const [, value = ''] of headers.matchAll(IDENTITY_HEADERS)) {
    for (const user of usersIn(value)) if (!called.has(user) && !isWithheldUser(user)) users.add(user);
    for (const [, quoted, bareName] of value.matchAll(DISPLAY_NAME)) {
      const name = (quoted ?? bareName ?? '').trim();
      if (name !== '' && !isWithheldUser(name)) names.add(name);
    }
  }
  return { users, names };
}

export function mergeIdentities(identities: readonly Identity[]): Identity {
  return {
    users: new Set(identities.flatMap(({ users }) => [...users])),
    names: new Set(identities.flatMap(({ names }) => [...names])),
  };
}

export function hideIdentity(message: string, { users, names }: Identity): string {
  // Only a hostile message names its sender so often; each name costs a search of every message.
  if (users.size + names.size > MAX_IDENTITIES) return `${message.split('\r\n', 1)[0]}\r\n${MASK}`;
  let masked = message;
  const headEnd = headersOf(message).length;
  masked = message.slice(0, headEnd).replace(OPAQUE_HEADERS, `$1$2 ${MASK}`) + message.slice(headEnd);
  for (const user of users) {
    masked = masked.replace(
      new RegExp(`\\b(sips?:|tel:)${escaped(user)}(?=[@;>:,\\s]|$)`, 'gim'),
      `$1${MASK}`,
    );
    const digits = user.replaceAll(/%2B/gi, '').replaceAll(/\D/g, '');
    if (digits.length >= SIGNIFICANT_DIGITS) masked = masked.replace(numberPattern(digits), MASK);
    if (user.length >= MIN_ANYWHERE_CHARS) masked = masked.replaceAll(wholeWord(user), MASK);
  }
  for (const name of names) {
    masked = masked.replaceAll(
      new RegExp(`"${escaped(name)}"|(?<=[:,][ \\t]*)${escaped(name)}(?=\\s*<)`, 'gi'),
      `"${MASK}"`,
    );
    if (name.length >= MIN_ANYWHERE_CHARS) masked = masked.replaceAll(wholeWord(name), MASK);
  }
  return masked;
}

/** With visual separators (RFC 3966), and with whatever prefix precedes the significant digits. */
function numberPattern(digits: string): RegExp {
  const significant = [...digits.slice(-SIGNIFICANT_DIGITS)].join('[-. ()]{0,2}');
  return new RegExp(`(?:\\+|%2B)?(?:\\d[-. ()]{0,2}){0,12}?${significant}`, 'gi');
}

const wholeWord = (text: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])${escaped(text)}(?![\\p{L}\\p{N}])`, 'giu');

const usersIn = (value: string): string[] =>
  [...value.matchAll(URI_USER)].map(([, sip, tel]) => (sip ?? tel ?? '').replace(/:.*$/, '')).filter(Boolean);

const headersOf = (message: string): string => {
  const end = message.indexOf('\r\n\r\n');
  return end < 0 ? message : message.slice(0, end);
};

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
