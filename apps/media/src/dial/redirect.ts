/** Targets of a redirect (RFC 3261 §8.1.3.4, §21.3). Pure; never throws. */
import type { TrunkTarget } from '@clarion/protocol/media';
import { escapeUser } from '../sip/headers.ts';

/** How often a redirect may lead to another one, in one call. */
export const MAX_REDIRECTS = 2;
/** Number of targets of one redirect that are tried. */
export const MAX_TARGETS = 3;

export type Transport = TrunkTarget['transport'];

export interface RedirectTarget {
  /** Null: the target is a proxy for the same Request-URI (305). */
  user: string | null;
  host: string;
  /** Null: to be found by SRV, or the default port. */
  port: number | null;
  transport: Transport;
  userPhone: boolean;
}

/** 300 Multiple Choices, 301 Moved Permanently, 302 Moved Temporarily, 305 Use Proxy. */
const FOLLOWED = new Set([300, 301, 302, 305]);

/** `"name" <uri>;params` or `uri;params`, up to the comma that ends it. */
const CONTACT = /\s*(?:"(?:[^"\\]|\\.)*"\s*)?(?:[^<>",;]*<([^<>]*)>([^,]*)|([^\s<>",;]+)([^,]*))\s*(?:,|$)/y;
const SIP_URI = /^(sips?):(?:([^@\s]+)@)?(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?((?:;[^\s?]*)?)(?:\?.*)?$/i;
/** A user part without a password. It is escaped again, so only its characters need to be safe in a URI. */
const USER = /^[^\s<>":\\^`{|}]{1,128}$/;
const MAX_CONTACT_LENGTH = 4_096;

/**
 * The targets to try, best first; empty: the redirect is not followed. Only `sip:` and `sips:` URIs, and over TLS if
 * the trunk uses TLS. Parameters such as `maddr`, which would send the call to another address than the host's, and
 * headers for the new INVITE are ignored.
 */
export function redirectTargets(
  status: number,
  contact: string | undefined,
  current: Transport,
): RedirectTarget[] {
  if (!FOLLOWED.has(status)) return [];
  return contactsOf(contact)
    .sort((a, b) => b.q - a.q)
    .flatMap(({ uri }) => targetOf(uri, current) ?? [])
    .map((target) => (status === 305 ? { ...target, user: null } : target))
    .filter(({ user }) => status === 305 || user !== null)
    .slice(0, MAX_TARGETS);
}

function contactsOf(header: string | undefined): { uri: string; q: number }[] {
  const found: { uri: string; q: number }[] = [];
  if (header === undefined || header.length > MAX_CONTACT_LENGTH) return found;
  CONTACT.lastIndex = 0;
  for (let match = CONTACT.exec(header); match && match[0] !== ''; match = CONTACT.exec(header)) {
    const [, bracketed, outside = '', bare, parameters = ''] = match;
    const q = /;\s*q\s*=\s*([01](?:\.\d{0,3})?)/i.exec(bracketed === undefined ? parameters : outside)?.[1];
    found.push({ uri: (bracketed ?? bare ?? '').trim(), q: q === undefined ? 1 : Number(q) });
  }
  return found;
}

function targetOf(uri: string, current: Transport): RedirectTarget | null {
  const parsed = SIP_URI.exec(uri);
  if (!parsed) return null;
  const [, scheme = '', rawUser, host = '', port, parameters = ''] = parsed;
  const user = rawUser === undefined ? null : unescaped(rawUser);
  if (user !== null && !USER.test(user)) return null;
  const named = /;transport=([^;]*)/i.exec(parameters)?.[1]?.toUpperCase();
  const transport = scheme.toLowerCase() === 'sips' ? 'TLS' : (named ?? current);
  if (transport !== 'UDP' && transport !== 'TCP' && transport !== 'TLS') return null;
  if (current === 'TLS' && transport !== 'TLS') return null;
  const number = port === undefined ? null : Number(port);
  if (number !== null && (number < 1 || number > 65_535)) return null;
  return { user, host, port: number, transport, userPhone: /;user=phone(?:;|$)/i.test(parameters) };
}

function unescaped(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    return user;
  }
}

/** Identifies a target, to end loops. */
export const targetKey = ({ user, host, port, transport }: RedirectTarget): string =>
  `${transport} ${user === null ? '' : escapeUser(user)}@${host.toLowerCase()}:${port ?? ''}`;
