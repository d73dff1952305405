/** The input of an endpoint: what is read off the request, and what the registry's schemas make of it. */
import { malformed } from '@clarion/protocol';
import { MAX_BODY_BYTES } from '@clarion/protocol/v1/endpoint';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { fieldError } from '@clarion/protocol/v1/fields/field-error';
import type { z } from 'zod';
import { parseReceived, readJson } from './body.ts';
import type { ReceivedJson } from './json-reader.ts';
import { readPath } from './path.ts';

export interface Received {
  url: URL;
  /** Null: the endpoint reads none. */
  body: ReceivedJson | null;
  idempotencyKey: string | null;
}

export type Input = ReturnType<typeof parseInput>;

/** @throws 413, 400 when the body is incomplete or not UTF-8 */
export async function receive(definition: EndpointDefinition, request: Request): Promise<Received> {
  return {
    url: new URL(request.url),
    body: readsBody(definition) ? await readJson(request, definition.maxBodyBytes ?? MAX_BODY_BYTES) : null,
    idempotencyKey: request.headers.get('idempotency-key'),
  };
}

/** The body of a POST is read even if the endpoint ignores it, because it is part of what an Idempotency-Key identifies. */
const readsBody = ({ method, body }: EndpointDefinition) => body !== undefined || method === 'POST';

/** @throws 400 naming the field, 404 for a path field */
export function parseInput(definition: EndpointDefinition, { url, body }: Received) {
  return {
    path: readPath(definition, url.pathname),
    query: definition.query && parsed(definition.query, Object.fromEntries(url.searchParams)),
    body: definition.body && body && parsed(definition.body, parsedBody(definition, body)),
  };
}

function parsedBody({ anyJson, longTexts }: EndpointDefinition, body: ReceivedJson): unknown {
  const value = parseReceived(body, longTexts ?? false);
  if (!anyJson && (typeof value !== 'object' || value === null || Array.isArray(value))) {
    throw malformed('The request body must be a JSON object.');
  }
  return value;
}

function parsed(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value, { reportInput: true });
  if (!result.success) throw fieldError(result.error);
  return result.data;
}
