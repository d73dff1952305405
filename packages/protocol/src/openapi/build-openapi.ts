/** Generates the OpenAPI 3.1 document of the Management API from the registry. */
import { eventData } from '../events.ts';
import type { EndpointDefinition } from '../v1/endpoint.ts';
import { registry } from '../v1/registry.ts';
import { nameComponents } from './component-names.ts';
import { errorSchema } from './errors.ts';
import type { JsonSchema } from './input-shape.ts';
import { operationOf } from './operation.ts';
import { headers, introduction, parameters } from './prose.ts';
import { webhooksOf } from './webhooks.ts';

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Record<string, unknown>>>;
  webhooks: Record<string, object>;
  components: { schemas: Record<string, JsonSchema> } & Record<string, Record<string, object>>;
}

/** The noun of the path: its first segment, or the one after the tenant. */
export function tagOf(path: string): string {
  const steps = path.replace(/^\/v1\//, '').split('/');
  const [first = ''] = steps;
  const nested = first === 'tenants' && steps.length > 2 ? steps[2] : first;
  return nested ?? first;
}

/** `version` is the version of the service; the version of the API is in the paths. */
export function buildOpenApi({ baseUrl, version }: { baseUrl: string; version: string }): OpenApiDocument {
  const names = nameComponents(registry, eventData);
  const { webhooks, components } = webhooksOf(names);
  const schemas: Record<string, JsonSchema> = { Error: errorSchema, ...components };
  const paths: OpenApiDocument['paths'] = {};
  const responses: Record<string, object> = {};
  const tags = new Set<string>();
  for (const [name, endpoint] of Object.entries<EndpointDefinition>(registry)) {
    const tag = tagOf(endpoint.path);
    tags.add(tag);
    const made = operationOf(name, endpoint, { tag, names });
    Object.assign(schemas, made.components);
    Object.assign(responses, made.sharedResponses);
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: made.operation };
  }
  tags.add('events');
  return {
    openapi: '3.1.1',
    info: { title: 'Clarion Management API', version, description: introduction },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      schemas: inOrder(schemas),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, `ck_<account>_<secret>`. Keep it in your backend and never put it in an app.',
        },
      },
      responses: inOrder(responses),
      parameters,
      headers,
    },
  };
}

const inOrder = <T>(named: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(named).toSorted(([a], [b]) => (a < b ? -1 : 1)));
