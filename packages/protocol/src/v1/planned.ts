/**
 * Endpoints whose shapes are settled and which are not built yet: OpenAPI and the reference show them as planned, and a request
 * to them gets the web server's 404. When one is built, its noun moves to the registry.
 */
import type { EndpointDefinition } from './endpoint.ts';
import { registry } from './registry.ts';

export const planned = {} as const satisfies Record<string, EndpointDefinition>;

export const allEndpoints: Readonly<Record<string, EndpointDefinition>> = { ...registry, ...planned };
