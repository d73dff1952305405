/**
 * Header names: compact forms (RFC 3261 §7.3.3 and the IANA registry), canonical spelling, and the order in which we
 * write them.
 */

/** One-letter header names, as registered with IANA, mapped to their lower-case long form. */
const COMPACT: Readonly<Record<string, string>> = {
  a: 'accept-contact',
  b: 'referred-by',
  c: 'content-type',
  d: 'request-disposition',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  j: 'reject-contact',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  n: 'identity-info',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
  y: 'identity',
};

/**
 * Known headers in the order in which drachtio-server writes them. Other headers follow Content-Length in the order of
 * the app.
 */
const WIRE_ORDER = [
  'Via',
  'Route',
  'Record-Route',
  'Max-Forwards',
  'Proxy-Require',
  'From',
  'To',
  'Call-ID',
  'CSeq',
  'Contact',
  'RSeq',
  'RAck',
  'Request-Disposition',
  'Accept-Contact',
  'Reject-Contact',
  'Expires',
  'Date',
  'Retry-After',
  'Timestamp',
  'Min-Expires',
  'Subject',
  'Priority',
  'Call-Info',
  'Organization',
  'Server',
  'User-Agent',
  'In-Reply-To',
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Allow',
  'Require',
  'Supported',
  'Unsupported',
  'Event',
  'Allow-Events',
  'Subscription-State',
  'Proxy-Authenticate',
  'Proxy-Authentication-Info',
  'Proxy-Authorization',
  'Authorization',
  'WWW-Authenticate',
  'Authentication-Info',
  'Error-Info',
  'Warning',
  'Refer-To',
  'Referred-By',
  'Replaces',
  'Session-Expires',
  'Min-SE',
  'Path',
  'Service-Route',
  'Reason',
  'Privacy',
  'SIP-ETag',
  'SIP-If-Match',
  'P-Asserted-Identity',
  'P-Preferred-Identity',
  'Remote-Party-ID',
  'MIME-Version',
  'Content-Type',
  'Content-Encoding',
  'Content-Language',
  'Content-Disposition',
  'Content-Length',
] as const;

const RANK = new Map<string, number>(WIRE_ORDER.map((name, index) => [name.toLowerCase(), index]));
const SPELLING = new Map<string, string>(WIRE_ORDER.map((name) => [name.toLowerCase(), name]));
const UNKNOWN_RANK = WIRE_ORDER.length;

const LOWER_CACHE_LIMIT = 512;
const lowerCache = new Map<string, string>();

/** The lower-case long form of a header name: `v` → `via`, `CALL-ID` → `call-id`. Trailing spaces are ignored. */
export function canonicalName(name: string): string {
  const cached = lowerCache.get(name);
  if (cached !== undefined) return cached;
  const lower = name.trim().toLowerCase();
  const long = lower.length === 1 ? (COMPACT[lower] ?? lower) : lower;
  // Limited because the names come from the network.
  if (lowerCache.size < LOWER_CACHE_LIMIT) lowerCache.set(name, long);
  return long;
}

/** Position of a header (lower-case long name) in our messages; unknown headers come last. */
export function wireRank(canonical: string): number {
  return RANK.get(canonical) ?? UNKNOWN_RANK;
}

/**
 * Our spelling of a header of the app: the standard spelling, `x-…` unchanged, others capitalised (`my-own-header` →
 * `My-Own-Header`).
 */
export function wireSpelling(given: string): string {
  const known = SPELLING.get(canonicalName(given));
  if (known !== undefined) return known;
  if (given.startsWith('x-') || given.startsWith('X-')) return given;
  return given
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('-');
}
