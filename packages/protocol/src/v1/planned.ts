/**
 * Endpoints whose shapes are settled and which are not built yet: OpenAPI and the reference show them as planned, and a request
 * to them gets the web server's 404. When one is built, its noun moves to the registry.
 */
import type { EndpointDefinition } from './endpoint.ts';
import { numberEndpoints } from './numbers.ts';
import { pricePlanEndpoints } from './price-plans.ts';
import { rateDeckEndpoints } from './rate-decks.ts';
import { rateEntryEndpoints } from './rate-entries.ts';
import { rateImportEndpoints } from './rate-imports.ts';
import { registry } from './registry.ts';
import { tenantBillingEndpoints } from './tenant-billing.ts';
import { trunkChangeEndpoints } from './trunk-changes.ts';
import { usageRepriceEndpoints } from './usage-reprice.ts';

export const planned = {
  ...trunkChangeEndpoints,
  ...numberEndpoints,
  ...pricePlanEndpoints,
  ...rateDeckEndpoints,
  ...rateEntryEndpoints,
  ...rateImportEndpoints,
  ...tenantBillingEndpoints,
  ...usageRepriceEndpoints,
} as const satisfies Record<string, EndpointDefinition>;

export type PlannedName = keyof typeof planned;

export const allEndpoints: Readonly<Record<string, EndpointDefinition>> = { ...registry, ...planned };
