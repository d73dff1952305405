/** What the registry says of an endpoint. Validation, OpenAPI, the reference pages and the scoping tests come from it. */
import { z } from 'zod';
import { pushProviders } from '../enums.ts';
import type { ErrorCode } from '../errors.ts';
import { shaped } from '../openapi/input-shape.ts';
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

/** Every name that may stand in braces in a path, with how it is read. */
export const pathFields = {
  tenantRef: pathRef,
  agentRef: pathRef,
  queueRef: pathRef,
  channelRef: pathRef,
  flowRef: pathRef,
  /** What the app connects with. */
  deviceId: pathRef,
  /** Of pushes, in any case. */
  provider: z
    .string()
    .transform((value) => value.trim().toLowerCase())
    .pipe(z.enum(pushProviders)),
  callId: pathId,
  assetId: pathId,
  apiKeyId: pathId,
  kid: z.string().regex(KID),
  trunkId: pathId,
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
 * Who may call it, from least to most: view (any dashboard user), supervise, manage (set up a tenant), provision (trunks), own (keys,
 * prices). An API key may do all.
 */
export type EndpointRole = 'view' | 'supervise' | 'manage' | 'provision' | 'own';

export interface EndpointDefinition {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** With path fields in braces: `/v1/tenants/{tenantRef}`. */
  path: string;
  summary: string;
  /** Absent: the query is ignored. */
  query?: z.ZodType;
  /** Absent: the body is ignored. */
  body?: z.ZodType;
  /** The body may be any JSON, not only an object. */
  anyJson?: true;
  /** `body` absent: an empty answer. `file`: a file instead of JSON, with its media types, the default first. */
  answer: { status: 200 | 201 | 202 | 204; body?: z.ZodType; file?: readonly string[] };
  /** Besides those every endpoint has (see `commonErrors`). */
  errors: readonly ErrorCode[];
  role: EndpointRole;
  /** Whether a session launched for one tenant may call it (for that tenant). */
  oneTenantSession: boolean;
  /** For people at the dashboard: an API key is refused. */
  sessionOnly?: true;
  /** May be called by a person who has yet to set up the two factors that their account asks for. */
  beforeTwoFactor?: true;
  /** A POST whose answer is never stored under an Idempotency-Key, because it shows a secret. */
  neverReplayed?: true;
  /** Default: MAX_BODY_BYTES. */
  maxBodyBytes?: number;
  example: { path?: Record<string, string | number>; query?: string; body?: unknown; answer?: unknown };
}

export const commonErrors = [
  'invalid_request',
  'unauthorized',
  'consumer_suspended',
  'rate_limited',
  'internal_error',
] as const satisfies readonly ErrorCode[];

/** Request bodies (docs/requirements.md#limits). */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

type OutputOf<T> = T extends z.ZodType ? z.output<T> : undefined;

/** What the verb of an endpoint is given. */
export interface EndpointInput<E extends EndpointDefinition> {
  path: PathParams<E['path']>;
  query: OutputOf<E['query']>;
  body: OutputOf<E['body']>;
}
/** What it answers; nothing for an empty answer. */
export type EndpointAnswer<E extends EndpointDefinition> = E['answer'] extends { body: infer Body }
  ? Body extends z.ZodType
    ? z.input<Body>
    : void
  : void;

export const defineEndpoint = <const E extends EndpointDefinition>(endpoint: E): E => endpoint;
