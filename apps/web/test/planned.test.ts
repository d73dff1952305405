import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { planned } from '@clarion/protocol/v1/planned';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import { expect, test } from 'vitest';

/** The route files are the API: an endpoint without one does not exist, and each one is in the registry. */
const app = join(import.meta.dirname, '../app');
const answers = ({ path, method }: EndpointDefinition): boolean => {
  const file = join(app, path.replaceAll(/\{(\w+)\}/g, '[$1]'), 'route.ts');
  return existsSync(file) && new RegExp(`export const ${method}\\b`).test(readFileSync(file, 'utf8'));
};
const plannedEndpoints: [string, EndpointDefinition][] = Object.entries(planned);

test.for(plannedEndpoints.map(([name]) => name))('%s is planned and not there yet', (name) => {
  const endpoint = plannedEndpoints.find(([each]) => each === name)?.[1];
  expect(endpoint && answers(endpoint)).toBe(false);
  expect(name in registry).toBe(false);
});

test.for(Object.keys(registry))('%s has its route', (name) => {
  const endpoint = Object.entries(registry).find(([each]) => each === name)?.[1];
  expect(endpoint && answers(endpoint)).toBe(true);
});
