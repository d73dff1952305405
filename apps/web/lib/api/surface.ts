/**
 * The channel of access of a request. The MCP endpoint passes requests of its own to the handlers of /v1 in this process: it marks
 * the request object, which no client can do.
 */
import type { Surface } from '@clarion/core/context';

const marked = new WeakMap<Request, Surface>();

/** Call before passing the request to its handler. A clone of the request is not marked. */
export function markSurface(request: Request, surface: Surface): void {
  marked.set(request, surface);
}

export const surfaceOf = (request: Request): Surface => marked.get(request) ?? 'api';
