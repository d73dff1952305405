/**
 * Converts numbers between E.164 and the form that a trunk uses (docs/requirements.md#trunks): tech prefixes, number rules and each
 * carrier's convention for `+`. The rest of the service uses E.164 only. Pure.
 */
import { isWithheldUser } from '@clarion/protocol';
import type { NumberRules, TechPrefixes, TrunkQuirks } from '@clarion/protocol';

type InboundPrefix = NonNullable<TechPrefixes['inbound']>[number];

/** E.164 (`+` and 8 to 15 digits, ITU-T E.164) or a `sip:` URI → what goes into the request URI. */
export function calledOnTrunk(
  address: string,
  trunk: { techPrefixes: TechPrefixes | null; numberRules: NumberRules | null; quirks: TrunkQuirks },
): string {
  if (isSipUri(address)) return address;
  const digits = digitsOf(address);
  const national = trunk.quirks.nationalOutbound ? nationalForm(digits, trunk.numberRules) : null;
  const international = trunk.quirks.calledPlus ? `+${digits}` : digits;
  return `${trunk.techPrefixes?.outbound ?? ''}${national ?? international}`;
}

/** Country codes are prefix-free (ITU-T E.164), so the digits decide. Null: a number of another country. */
const nationalForm = (digits: string, rules: NumberRules | null): string | null =>
  rules && digits.startsWith(rules.countryCode)
    ? `${rules.nationalPrefix ?? ''}${digits.slice(rules.countryCode.length)}`
    : null;

/** A line's number → the user part of From: without `+`, unless the carrier requires it (docs/requirements.md#lines, 1). */
export const callerOnTrunk = (line: string, quirks: TrunkQuirks): string =>
  quirks.callerIdPlus ? `+${digitsOf(line)}` : digitsOf(line);

export const isSipUri = (address: string): boolean => /^sips?:/i.test(address);

/**
 * A SIP URI in the form that is stored: scheme and host in lower case, because they are case-insensitive (RFC 3261 section 19.1.4); the
 * user part is not.
 */
export const normalSipUri = (uri: string): string =>
  uri.replace(
    /^(sips?:)((?:[^@]*@)?)([^;?]*)/i,
    (_, scheme: string, user: string, host: string) => scheme.toLowerCase() + user + host.toLowerCase(),
  );

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

export interface CalledNumber {
  /** E.164; null: the tech prefix is not followed by a number. */
  number: string | null;
  /** The tech prefix of the call, which was removed before the number was read. */
  prefix: InboundPrefix | null;
  /** What the number was read from: what follows the prefix, or the whole user part. */
  rest: string;
}

/**
 * Reads the called number of an inbound call. The first user part with a tech prefix decides, before any is read as a number: a call that
 * a prefix assigns to a forwarding rule or a filter must not reach a line through another header, and what follows such a prefix need
 * not be a number. Without a prefix, the first user part with a valid number decides.
 *
 * @param users user parts in order of precedence: request URI, To, then Diversion or P-Called-Party-ID
 * @returns null if none of them does
 */
export function readCalled(
  users: readonly (string | null)[],
  trunk: { techPrefixes: TechPrefixes | null; numberRules: NumberRules | null },
): CalledNumber | null {
  const read = users.flatMap((user) => {
    if (!user) return [];
    const { prefix, rest } = withoutPrefix(cleanUser(user), trunk.techPrefixes?.inbound ?? []);
    return [{ number: toE164(rest, trunk.numberRules), prefix, rest }];
  });
  return read.find(({ prefix }) => prefix !== null) ?? read.find(({ number }) => number !== null) ?? null;
}

/** The longest matching prefix decides (docs/requirements.md#trunks). */
function withoutPrefix(
  user: string,
  prefixes: readonly InboundPrefix[],
): { prefix: InboundPrefix | null; rest: string } {
  const [prefix] = prefixes
    .filter((known) => user.startsWith(known.prefix))
    .toSorted((a, b) => b.prefix.length - a.prefix.length);
  return prefix ? { prefix, rest: user.slice(prefix.prefix.length) } : { prefix: null, rest: user };
}

/** Decodes escapes (`%23` is `#`) and removes URI parameters of the user part (RFC 3261 section 19.1.1). */
function cleanUser(user: string): string {
  const [name = ''] = user.split(';');
  try {
    return decodeURIComponent(name).trim();
  } catch {
    return name.trim(); // a `%` without hex digits is not an escape
  }
}

/** E.164 allows 15 digits; fewer than 8 with a country code is a short code, not a line. */
const E164_DIGITS = /^[1-9]\d{7,14}$/;

/** `+44…`, `0044…`, `44…` and national forms → `+44…`; null if it is not a number. Visual separators are ignored. */
export function toE164(text: string, rules: NumberRules | null): string | null {
  const compact = text.replaceAll(/[\s().-]/g, '');
  if (!/^\+?\d+$/.test(compact)) return null;
  const plain = (digits: string): string | null => (E164_DIGITS.test(digits) ? `+${digits}` : null);
  if (compact.startsWith('+')) return plain(compact.slice(1));
  if (compact.startsWith('00')) return plain(compact.slice(2));
  if (rules) {
    const { countryCode, nationalPrefix } = rules;
    // A number that already starts with the country code is international, unless the trunk marks national numbers.
    if (nationalPrefix && compact.startsWith(nationalPrefix)) {
      return plain(countryCode + compact.slice(nationalPrefix.length));
    }
    if (compact.startsWith(countryCode)) return plain(compact);
    return nationalPrefix ? plain(compact) : plain(countryCode + compact);
  }
  return plain(compact);
}

export interface ReadCaller {
  /** Null: withheld, or unknown to the carrier. */
  address: string | null;
  addressType: 'E164' | 'SIP_URI';
}

/** User parts that carriers send if they do not know the number; another header may have it. */
const UNKNOWN = new Set(['', 'unknown', 'unavailable']);

/**
 * The caller's number: P-Asserted-Identity before From, unless one of them marks it as withheld. Normalised with the trunk's
 * rules; 8 to 15 digits get a `+`; anything else is kept as sent (docs/requirements.md#trunks).
 */
export function readCaller(
  caller: { withheld: boolean; assertedUser: string | null; fromUser: string },
  rules: NumberRules | null,
): ReadCaller {
  const users = [caller.assertedUser, caller.fromUser].map((user) => cleanUser(user ?? ''));
  const sent = users.find((user) => !UNKNOWN.has(user.toLowerCase()));
  if (sent === undefined || caller.withheld || users.some(isWithheldUser))
    return { address: null, addressType: 'E164' };
  const number = toE164(sent, rules);
  if (number) return { address: number, addressType: 'E164' };
  if (isSipUri(sent)) return { address: normalSipUri(sent), addressType: 'SIP_URI' };
  return { address: sent, addressType: /[a-z]/i.test(sent) ? 'SIP_URI' : 'E164' };
}
