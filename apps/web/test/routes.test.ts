import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import { expect, test } from 'vitest';

/** The route files are the API: an endpoint without one does not exist. */
const app = join(import.meta.dirname, '../app');
const answers = ({ path, method }: EndpointDefinition): boolean => {
  const file = join(app, path.replaceAll(/\{(\w+)\}/g, '[$1]'), 'route.ts');
  return existsSync(file) && new RegExp(`export const ${method}\\b`).test(readFileSync(file, 'utf8'));
};

test.for(Object.entries<EndpointDefinition>(registry))('%s has its route', ([, endpoint]) => {
  expect(answers(endpoint)).toBe(true);
});
