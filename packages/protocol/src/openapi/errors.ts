/** The error responses of an endpoint, by status, each with its error codes. */
import { errorTable } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';
import { commonErrors, MAX_BODY_BYTES } from '../v1/endpoint.ts';
import type { EndpointDefinition } from '../v1/endpoint.ts';
import { pascalCase } from './component-names.ts';
import type { JsonSchema } from './input-shape.ts';

const BODY_TOO_LARGE = 413;
const BYTES_PER_MB = 1024 * 1024;

/** A POST may have a body even if the endpoint ignores it: repeated requests with an Idempotency-Key are compared by their bodies. */
export const takesBody = ({ method, body }: EndpointDefinition) => body !== undefined || method === 'POST';
export const takesIdempotencyKey = ({ method, neverReplayed }: EndpointDefinition) =>
  method === 'POST' && !neverReplayed;
export const bodyLimit = ({ maxBodyBytes = MAX_BODY_BYTES }: EndpointDefinition) =>
  `${maxBodyBytes / BYTES_PER_MB} MB`;

/** Only the API key and the path can be invalid, and an invalid path is 404. */
const takesNoInput = (endpoint: EndpointDefinition) =>
  !takesBody(endpoint) && !endpoint.query && endpoint.method !== 'PUT';

/** Status → codes, in the order of the error table. */
export function errorsOf(endpoint: EndpointDefinition): Map<number, ErrorCode[]> {
  const codes = new Set<ErrorCode>([
    ...commonErrors.filter((code) => code !== 'invalid_request' || !takesNoInput(endpoint)),
    ...endpoint.errors,
    ...(takesIdempotencyKey(endpoint) ? (['idempotency_key_in_use', 'idempotency_key_reused'] as const) : []),
  ]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of Object.keys(errorTable).filter(isErrorCode)) {
    if (!codes.has(code)) continue;
    const [status] = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  if (takesBody(endpoint)) byStatus.set(BODY_TOO_LARGE, ['invalid_request']);
  return new Map([...byStatus].toSorted(([a], [b]) => a - b));
}

const isErrorCode = (name: string): name is ErrorCode => name in errorTable;

export interface ErrorResponses {
  /** By status: a reference into `shared`, or the response itself if only this endpoint has it. */
  responses: Record<string, object>;
  /** Responses of several endpoints, by name. */
  shared: Record<string, object>;
}

export function errorResponses(endpoint: EndpointDefinition): ErrorResponses {
  const limit = bodyLimit(endpoint);
  const answers: ErrorResponses = { responses: {}, shared: {} };
  for (const [status, codes] of errorsOf(endpoint)) {
    const [code, ...more] = codes;
    const answer = errorResponse(status, codes, { limit, isBare: endpoint.bareErrors ?? false });
    if (code === undefined || more.length > 0 || endpoint.bareErrors) answers.responses[status] = answer;
    else {
      const name = status === BODY_TOO_LARGE ? `BodyOver${limit.replace(' ', '')}` : pascalCase(code);
      answers.shared[name] = answer;
      answers.responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return answers;
}

function errorResponse(
  status: number,
  codes: readonly ErrorCode[],
  { limit, isBare }: { limit: string; isBare: boolean },
): object {
  const tooLarge = `The request body is larger than ${limit}.`;
  const sentence = (code: ErrorCode) => (status === BODY_TOO_LARGE ? tooLarge : errorTable[code][1]);
  return {
    description: codes
      .map((code) => (isBare ? sentence(code) : `\`${code}\`: ${sentence(code)}`))
      .join('\n\n'),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(status === 429 || codes.includes('idempotency_key_in_use')
        ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }
        : {}),
    },
    ...(!isBare && {
      content: {
        'application/json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Error' },
              { properties: { error: { properties: { code: { enum: codes } } } } },
            ],
          },
          examples: Object.fromEntries(
            codes.map((code) => [code, { value: { error: { code, message: sentence(code) } } }]),
          ),
        },
      },
    }),
  };
}

export const errorSchema: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: {
          type: 'string',
          enum: Object.keys(errorTable),
          description: 'A machine-readable error code. New codes may be added.',
        },
        message: { type: 'string', minLength: 1, description: 'A human-readable description of the error.' },
        details: {
          type: 'object',
          additionalProperties: true,
          properties: {
            field: {
              type: 'string',
              description:
                'The path of the invalid request field, as it was sent, for example `members[2].priority`. Absent if the error is not about one field.',
            },
            usedBy: {
              type: 'array',
              items: { type: 'string' },
              description: 'For `in_use`: the resources that use the entity.',
            },
          },
        },
      },
    },
  },
};
