/**
 * A path whose percent-encoding nobody can read (`/v1/tenants/%zz`) makes Next answer 500 before any code of ours is asked. The
 * step that cannot be read becomes one that can be read and names nothing, so that the request is answered like any other.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** A NUL: no ref, id or key holds one. */
const NOTHING = '%00';

/** Call once when the process starts: every request of its HTTP servers then has a path that can be read. */
export function mendPaths(): void {
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    if (request.url?.includes('%')) request.url = readablePath(request.url);
  });
}

export function readablePath(url: string): string {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  if (isReadable(path)) return url;
  const steps = path.split('/').map((step) => (isReadable(step) ? step : NOTHING));
  return steps.join('/') + (end === -1 ? '' : url.slice(end));
}

function isReadable(step: string): boolean {
  try {
    decodeURIComponent(step);
    return true;
  } catch {
    return false;
  }
}
