/** The web process of a test: the real handlers with a real, empty database. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConsumer } from '@clarion/core/consumer/create-consumer';
import type { CreatedConsumer } from '@clarion/core/consumer/create-consumer';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import type { Prisma } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import { errorTable } from '@clarion/protocol';
import type { ErrorCode } from '@clarion/protocol';
import type { EndpointAnswer, EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { buildOpenApi } from '@clarion/protocol/openapi/build-openapi';
import { checkerOf } from '@clarion/protocol/openapi/testing';
import type { DocumentChecker } from '@clarion/protocol/openapi/testing';
import type { FileAnswer } from '@clarion/protocol/v1/file-answer';
import { registry } from '@clarion/protocol/v1/registry';
import type { EndpointName, Registry } from '@clarion/protocol/v1/registry';
import { z } from 'zod';
import pino from 'pino';
import { expect } from 'vitest';
import { envSchema } from '../env.ts';
import { SESSION_HEADER } from '#lib/api/session-header.ts';
import { createRuntime, useRuntime } from '#lib/api/runtime.ts';
import type { Runtime } from '#lib/api/runtime.ts';
import { handlers } from '../app/v1/handlers.ts';

export interface Answer<N extends EndpointName> {
  status: number;
  headers: Headers;
  text: string;
  /** Of a response that is a file. */
  bytes: Uint8Array;
  /** The body of a success, checked against the endpoint's strict schema. Throws on an error. */
  readonly json: Exclude<EndpointAnswer<Registry[N]>, FileAnswer>;
  /** Null on a success, and if errors of the endpoint have no body. */
  error: z.output<typeof errorBody>['error'] | null;
}

export interface Web {
  runtime: Runtime;
  operator: OperatorCtx;
  /** Time is real until set. */
  setNow(at: Date | null): void;
  consumer(slug: string): Promise<CreatedConsumer>;
  /** Writes to the account's row and evicts it, so that the next request sees the change without waiting for a notification. */
  changeConsumer(slug: string, data: Prisma.ConsumerUpdateInput): Promise<void>;
  stop(): Promise<void>;
}

export async function startWeb(settings: Record<string, string> = {}): Promise<Web> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'clarion-web-'));
  const env = envSchema.parse({
    DATABASE_URL: database.url,
    CLARION_MASTER_KEY: randomBytes(32).toString('base64'),
    CLARION_INGRESS_DOMAIN: 'sip.example.com',
    CLARION_DATA_DIR: dataDir,
    ...settings,
  });
  let fixed: Date | null = null;
  const now = () => fixed ?? new Date();
  const runtime = createRuntime(env, { now, log: pino({ level: 'silent' }) });
  useRuntime(runtime);
  const { db, log, secrets, store, settings: deployment } = runtime;
  const operator: OperatorCtx = {
    actor: { kind: 'operator', id: 'test' },
    surface: 'cli',
    db,
    log,
    secrets,
    store,
    settings: deployment,
    get now() {
      return now();
    },
  };
  return {
    runtime,
    operator,
    setNow: (at) => (fixed = at),
    consumer: (slug) => createConsumer(operator, { slug, name: slug, webhookUrl: null, lookupUrl: null }),
    async changeConsumer(slug, data) {
      const { id } = await db.consumer.update({ where: { slug }, data });
      runtime.authenticator.evictConsumer(id);
    },
    async stop() {
      await runtime.stop();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface Call {
  key?: string | null;
  /** The session cookie (`dashboard.ts`), sent with the header of the dashboard's pages. */
  session?: string;
  path?: Record<string, string | number>;
  query?: string;
  /** An object is sent as JSON, a string as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

const FORBIDDEN = 403;
/** The OpenAPI document as served; created once per test file. */
let documented: DocumentChecker | undefined;

/**
 * Calls an endpoint by name. The response must match the OpenAPI document (status, code, type, body, named field); a success must
 * also match the endpoint's strict resource schema, and an error the error format.
 */
export async function call<N extends EndpointName>(name: N, options: Call = {}): Promise<Answer<N>> {
  const endpoint: EndpointDefinition = registry[name];
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
    encodeURIComponent(options.path?.[field] ?? `missing-${field}`),
  );
  const { body } = options;
  const response = await handlers[name](
    new Request(`http://localhost${path}${options.query ? `?${options.query}` : ''}`, {
      method: endpoint.method,
      headers: {
        ...(options.key && { authorization: `Bearer ${options.key}` }),
        ...(options.session !== undefined && {
          cookie: `clarion-session=${options.session}`,
          [SESSION_HEADER]: '1',
        }),
        'content-type': 'application/json',
        ...options.headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  );
  const { status, headers } = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const contentType = headers.get('content-type');
  documented ??= checkerOf(buildOpenApi({ baseUrl: 'http://localhost', version: '0' }));
  // The document describes API keys; it does not contain a user's missing permissions.
  const isForPeople = status === FORBIDDEN && (options.session ?? options.headers?.['cookie']) !== undefined;
  if (!isForPeople) {
    expect(documented.undocumented(endpoint.path, endpoint.method, { status, contentType, text })).toEqual(
      [],
    );
  }
  expect(headers.get('x-request-id'), name).toMatch(/^[0-9a-f-]{36}$/);
  const isJson = contentType?.startsWith('application/json') ?? false;
  const json: unknown = isJson ? JSON.parse(text) : undefined;
  if (status >= 300) {
    if (endpoint.bareErrors) expect(text, name).toBe('');
    const error = endpoint.bareErrors ? null : errorBody.parse(json).error;
    return {
      status,
      headers,
      text,
      bytes,
      error,
      get json(): never {
        throw new Error(`${name} answered ${status}: ${text}`);
      },
    };
  }
  expect(status, `${name}: ${text}`).toBe(endpoint.answer.status);
  if (isJson && endpoint.answer.body) endpoint.answer.body.parse(json);
  else if (!endpoint.answer.file) expect(text, name).toBe('');
  return { status, headers, text, bytes, error: null, json: json as Answer<N>['json'] };
}

const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.custom<ErrorCode>((code) => typeof code === 'string' && code in errorTable),
    message: z.string().min(1),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});

/** Expects an error: its status and, unless it has no body, its code and for one field the field's path as sent. */
export function expectError(
  answer: Answer<EndpointName>,
  status: number,
  code: ErrorCode,
  field?: string,
): void {
  const { error } = answer;
  if (error === null && answer.status >= 400) {
    expect(answer.status).toBe(status);
    return;
  }
  expect({ status: answer.status, code: error?.code, field: error?.details?.['field'] }, answer.text).toEqual(
    {
      status,
      code,
      field,
    },
  );
}
