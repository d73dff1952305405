/** The definition of an endpoint in the registry. Validation, OpenAPI, the reference pages and the scoping tests are derived from it. */
import { z } from 'zod';
import { pushProviders } from '../enums.ts';
import type { ErrorCode } from '../errors.ts';
import { shaped } from '../openapi/input-shape.ts';
import type { FileAnswer } from './file-answer.ts';
import { MAX_INTEGER, REF_MAX_CHARS } from './fields/fields.ts';
import { KID } from './fields/kid.ts';

const isRef = (value: string) =>
  value !== '' && [...value].length <= REF_MAX_CHARS && !value.includes('\0') && value.isWellFormed();
const pathRef = shaped(
  z
    .string()
    .trim()
    .refine((value) => isRef(value), {
      error: `must be 1 to ${REF_MAX_CHARS} characters`,
    }),
  { more: { minLength: 1, maxLength: REF_MAX_CHARS } },
);
const pathId = shaped(
  z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .transform(Number)
    .pipe(z.number().max(MAX_INTEGER)),
  { is: { type: 'integer', minimum: 1, maximum: MAX_INTEGER } },
);

/** All path fields by name, with their schemas. */
export const pathFields = {
  tenantRef: pathRef,
  agentRef: pathRef,
  queueRef: pathRef,
  channelRef: pathRef,
  flowRef: pathRef,
  /** The device ID with which the app connects. */
  deviceId: pathRef,
  /** A push provider; case-insensitive. */
  provider: z
    .string()
    .transform((value) => value.trim().toLowerCase())
    .pipe(z.enum(pushProviders)),
  callId: pathId,
  assetId: pathId,
  apiKeyId: pathId,
  kid: z.string().regex(KID),
  trunkId: pathId,
  refusalId: pathId,
  planId: pathId,
  deckId: pathId,
  entryId: pathId,
  invoiceId: pathId,
  sessionId: pathId,
  userId: pathId,
  eventId: z.uuid().transform((value) => value.toLowerCase()),
} as const;
export type PathField = keyof typeof pathFields;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
export type PathParams<Path extends string> = {
  [Name in NamesIn<Path> & PathField]: z.output<(typeof pathFields)[Name]>;
};

/**
 * Who may call it, from the least to the most privileged role: view (any dashboard user), supervise, manage (set up a tenant), provision (trunks), own (keys,
 * prices). An API key may call all of them.
 */
export type EndpointRole = 'view' | 'supervise' | 'manage' | 'provision' | 'own';

export interface EndpointDefinition {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Path fields are in braces: `/v1/tenants/{tenantRef}`. */
  path: string;
  summary: string;
  /** Absent: the query is ignored. */
  query?: z.ZodType;
  /** Absent: the body is ignored. */
  body?: z.ZodType;
  /** The body may be any JSON, not only an object. */
  anyJson?: true;
  /**
   * `file`: the media types of a response that is a file. With `body` the response is JSON by default, and a file if the query asks for
   * one; otherwise the first type is the default. Without both, the response is empty.
   */
  answer: { status: 200 | 201 | 202 | 204; body?: z.ZodType; file?: readonly string[] };
  /** In addition to those of every endpoint (`commonErrors`). */
  errors: readonly ErrorCode[];
  role: EndpointRole;
  /** The role that a session launched for one tenant needs instead of `role`. */
  launchedRole?: EndpointRole;
  /** Whether a session launched for one tenant may call it (for that tenant). */
  oneTenantSession: boolean;
  /** For dashboard users only: API keys are rejected. */
  sessionOnly?: true;
  /** May be called by users who have not yet set up the two-factor authentication that their account requires. */
  beforeTwoFactor?: true;
  /** A POST whose response is never stored under an Idempotency-Key, because it contains a secret. */
  neverReplayed?: true;
  /** The first response contains a secret that later ones do not, so a client must not repeat the request by itself. */
  secretOnce?: true;
  /** Default: MAX_BODY_BYTES. */
  maxBodyBytes?: number;
  /** An error is a status without a body. */
  bareErrors?: true;
  /** Strings of more than 128 KB reach the schema of the body as a `LongText`. */
  longTexts?: true;
  example: { path?: Record<string, string | number>; query?: string; body?: unknown; answer?: unknown };
}

export const commonErrors = [
  'invalid_request',
  'unauthorized',
  'consumer_suspended',
  'rate_limited',
  'internal_error',
] as const satisfies readonly ErrorCode[];

/** The default limit of request bodies (docs/requirements.md#limits). */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

type OutputOf<T> = T extends z.ZodType ? z.output<T> : undefined;

/** The input of an endpoint's verb. */
export interface EndpointInput<E extends EndpointDefinition> {
  path: PathParams<E['path']>;
  query: OutputOf<E['query']>;
  body: OutputOf<E['body']>;
}
type BodyOf<E extends EndpointDefinition> = E['answer'] extends { body: infer Body }
  ? Body extends z.ZodType
    ? z.input<Body>
    : never
  : never;
/** The response body, or a file; void if it is empty. */
export type EndpointAnswer<E extends EndpointDefinition> = E['answer'] extends { file: readonly string[] }
  ? BodyOf<E> | FileAnswer
  : E['answer'] extends { body: z.ZodType }
    ? BodyOf<E>
    : void;

export const defineEndpoint = <const E extends EndpointDefinition>(endpoint: E): E => endpoint;
