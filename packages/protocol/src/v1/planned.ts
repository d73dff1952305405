/**
 * Endpoints that are specified and not built yet: OpenAPI and the reference show them as planned, and requests to them get the web
 * server's 404. When one is built, its file moves from `planned/` to its area, and its entry to the registry.
 */
import type { EndpointDefinition } from './endpoint.ts';
import { registry } from './registry.ts';
import { tenantInvoiceEndpoints } from './planned/tenant-invoices.ts';

export const planned = {
  ...tenantInvoiceEndpoints,
} as const satisfies Record<string, EndpointDefinition>;

export type PlannedName = keyof typeof planned;

export const allEndpoints: Readonly<Record<string, EndpointDefinition>> = { ...registry, ...planned };
