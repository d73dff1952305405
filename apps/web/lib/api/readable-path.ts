/**
 * A path whose percent-encoding nobody can read (`/v1/tenants/%zz`) makes Next answer 500 before any code of ours is asked. The
 * step that cannot be read becomes one that can be read and names nothing, so that the request is answered like any other.
 *
 * So do, in the API, a step that leads up the path and the empty step at the end of `/v1/tenants/acme/`, which Next would drop: who
 * puts the ref `..` behind `/v1/tenants/acme/agents/` sends the one or, where the client resolves it, the other, and means no
 * tenant with it.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** A NUL: no ref, id or key holds one. */
const NOTHING = '%00';

/** `.` and `..`, which URLs know also in this writing. */
const UP = /^(?:\.|%2e){1,2}$/i;
const MAY_NEED_MENDING = /%|^\/v1\/(?:[^?#]*\/)?\.{0,2}(?:$|[/?#])/;

/** Call once when the process starts: every request of its HTTP servers then has a path that can be read. */
export function mendPaths(): void {
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    const { url } = request;
    if (url !== undefined && MAY_NEED_MENDING.test(url)) request.url = readablePath(url);
  });
}

export function readablePath(url: string): string {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  const steps = path.split('/');
  const isApi = steps[1] === 'v1';
  const mended = steps.map((step, index) => {
    const leadsAstray = isApi && index > 1 && (UP.test(step) || (step === '' && index === steps.length - 1));
    return leadsAstray || !isReadable(step) ? NOTHING : step;
  });
  return mended.join('/') + (end === -1 ? '' : url.slice(end));
}

function isReadable(step: string): boolean {
  try {
    decodeURIComponent(step);
    return true;
  } catch {
    return false;
  }
}
