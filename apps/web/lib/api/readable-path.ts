/**
 * Next responds with 500 to a path with invalid percent-encoding (`/v1/tenants/%zz`) before any of our code runs. Such a segment is
 * replaced by one that is valid and matches nothing, so that the request is handled like any other.
 *
 * In the API the same applies to `.` and `..` segments and to the empty segment at the end of `/v1/tenants/acme/`, which Next would
 * drop. A client that appends the ref `..` to `/v1/tenants/acme/agents/` sends one or, if it resolves the path, the other, and does
 * not mean the tenant.
 */
import type { IncomingMessage } from 'node:http';

/** A NUL, which no ref, ID or key contains. */
const MATCHES_NOTHING = '%00';

/** `.` and `..`, also percent-encoded. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;
const MAY_BE_UNREADABLE = /%|^\/v1\/(?:[^?#]*\/)?\.{0,2}(?:$|[/?#])/;

/** Called for every request before Next sees it. */
export function makePathReadable(request: IncomingMessage): void {
  const { url } = request;
  if (url !== undefined && MAY_BE_UNREADABLE.test(url)) request.url = readablePath(url);
}

export function readablePath(url: string): string {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  const segments = path.split('/');
  const isApi = segments[1] === 'v1';
  const readable = segments.map((segment, index) => {
    const isLast = index === segments.length - 1;
    const isDropped = isApi && index > 1 && (DOT_SEGMENT.test(segment) || (segment === '' && isLast));
    return isDropped || !isValid(segment) ? MATCHES_NOTHING : segment;
  });
  return readable.join('/') + (end === -1 ? '' : url.slice(end));
}

function isValid(segment: string): boolean {
  try {
    decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}
