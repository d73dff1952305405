/** Converts an endpoint of the registry to an operation of the document. */
import { z } from 'zod';
import { pathFields } from '../v1/endpoint.ts';
import type { EndpointDefinition, PathField } from '../v1/endpoint.ts';
import { bodyLimit, errorResponses, takesIdempotencyKey } from './errors.ts';
import type { JsonSchema } from './input-shape.ts';
import { toJsonSchema } from './json-schema.ts';
import type { ComponentNames } from './json-schema.ts';

export interface Operation {
  operation: Record<string, unknown>;
  components: Record<string, JsonSchema>;
  /** Responses of several endpoints, by name. */
  sharedResponses: Record<string, object>;
}

export function operationOf(
  name: string,
  endpoint: EndpointDefinition,
  { tag, names }: { tag: string; names: ComponentNames },
): Operation {
  const body = endpoint.body && toJsonSchema(endpoint.body);
  const answer = endpoint.answer.body && toJsonSchema(endpoint.answer.body, names);
  const errors = errorResponses(endpoint);
  const replayable = takesIdempotencyKey(endpoint);
  const parameters = [
    ...pathParameters(endpoint),
    ...queryParameters(endpoint),
    ...(replayable ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ];
  return {
    operation: {
      operationId: name,
      tags: [tag],
      ...summaryOf(endpoint.summary),
      ...(parameters.length > 0 && { parameters }),
      ...(body && {
        requestBody: {
          required: true,
          description: `JSON of at most ${bodyLimit(endpoint)}.`,
          content: { 'application/json': { schema: body.schema, ...exampleOf(endpoint.example.body) } },
        },
      }),
      responses: {
        [endpoint.answer.status]: {
          description: hasEmptyResponse(endpoint) ? 'Success. The response body is empty.' : 'Success.',
          headers: successHeaders(replayable),
          ...contentOf(endpoint, answer?.schema),
        },
        ...errors.responses,
      },
    },
    sharedResponses: errors.shared,
    components: answer?.components ?? {},
  };
}

const hasEmptyResponse = ({ answer }: EndpointDefinition) => !answer.body && !answer.file;

function contentOf({ answer, example }: EndpointDefinition, schema: JsonSchema | undefined): object {
  if (!schema && !answer.file) return {};
  const files = (answer.file ?? []).map((type) => [
    type,
    { schema: { type: 'string', contentMediaType: type } },
  ]);
  return {
    content: {
      ...(schema && { 'application/json': { schema, ...exampleOf(example.answer) } }),
      ...Object.fromEntries(files),
    },
  };
}

const exampleOf = (example: unknown) => (example === undefined ? {} : { example });

/** The first sentence is the summary, the rest the description. */
function summaryOf(text: string): { summary: string; description?: string } {
  const [first = text, description = ''] = text.split(/(?<=[.!?]) (?=[A-Z`])(.*)/s);
  return { summary: first.replace(/\.$/, ''), ...(description && { description }) };
}

const headerRef = (name: string) => [name, { $ref: `#/components/headers/${name}` }] as const;
const successHeaders = (replayable: boolean) =>
  Object.fromEntries(
    [
      'X-Request-Id',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      ...(replayable ? ['Idempotent-Replayed'] : []),
    ].map(headerRef),
  );

const isPathField = (name: string): name is PathField => name in pathFields;

function pathParameters({ path, example }: EndpointDefinition): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    if (!isPathField(name)) throw new Error(`${path} names an unknown path field ${name}`);
    const { description, ...schema } = toJsonSchema(pathFields[name]).schema;
    return {
      name,
      in: 'path',
      required: true,
      ...(description !== undefined && { description }),
      schema,
      ...exampleOf(example.path?.[name]),
    };
  });
}

function queryParameters({ query, example }: EndpointDefinition): object[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toJsonSchema(query).schema;
  const shown = new URLSearchParams(example.query);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = withoutNull(typeof property === 'boolean' ? {} : property);
    const value = shown.get(name);
    return {
      name,
      in: 'query',
      ...(required.includes(name) && { required: true }),
      ...(description !== undefined && { description }),
      schema,
      ...(value !== null && { example: typed(value, schema) }),
    };
  });
}

/** A query string cannot contain null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const { default: fallback, ...rest } = schema;
  const kept: JsonSchema = {
    ...rest,
    ...(fallback !== undefined && fallback !== null && { default: fallback }),
  };
  if (Array.isArray(kept.type)) {
    const types = kept.type.filter((type) => type !== 'null');
    kept.type = types.length === 1 && types[0] ? types[0] : types;
  }
  if (kept.enum) kept.enum = kept.enum.filter((value) => value !== null);
  if (kept.anyOf) kept.anyOf = kept.anyOf.filter((each) => each.type !== 'null');
  return kept;
}

function typed(value: string, { type }: JsonSchema): string | number | boolean {
  if (type === 'integer' || type === 'number') return Number(value);
  return type === 'boolean' ? z.stringbool().parse(value) : value;
}
