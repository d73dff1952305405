/**
 * Endpoints that are specified and not built yet, none at present: OpenAPI and the reference show them as planned, and requests to them get
 * the web server's 404. When one is built, its definition moves to its area, and its entry to the registry.
 */
import type { EndpointDefinition } from './endpoint.ts';
import { registry } from './registry.ts';

export const planned: Readonly<Record<string, EndpointDefinition>> = {};

export const allEndpoints: Readonly<Record<string, EndpointDefinition>> = { ...registry, ...planned };
