/**
 * Which way in a request took. The MCP endpoint makes requests of its own and gives them to the handlers of /v1 in this process:
 * it marks the request object, which nobody outside can do.
 */
import type { Surface } from '@clarion/core/context';

const marked = new WeakMap<Request, Surface>();

/** Say it before the request is given to its handler; the mark stays with this very object, not with a clone. */
export function markSurface(request: Request, surface: Surface): void {
  marked.set(request, surface);
}

export const surfaceOf = (request: Request): Surface => marked.get(request) ?? 'api';
