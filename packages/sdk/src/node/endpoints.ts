/**
 * Everything that the client uses from the protocol. The published package contains a generated module instead
 * (scripts/endpoints-module.ts) with the same names, so that it needs neither the schemas nor zod.
 */
import type { z } from 'zod';
import type { eventData, Envelope } from '@clarion/protocol/events';
import type { EndpointDefinition, PathParams } from '@clarion/protocol/v1/endpoint';
import { registry, type EndpointName, type Registry } from '@clarion/protocol/v1/registry';

export type { EndpointName } from '@clarion/protocol/v1/registry';
export type { ErrorCode, ErrorDetails } from '@clarion/protocol/errors';

type PathOf<E extends EndpointDefinition> = keyof PathParams<E['path']> extends never
  ? undefined
  : { [P in keyof PathParams<E['path']>]: string | number };
type InputOf<T> = T extends z.ZodType ? z.input<T> : undefined;
type OutputOf<T> = T extends z.ZodType ? z.output<T> : undefined;

/** The input and output of each endpoint, by name; undefined for parts that it does not have. */
export type Endpoints = {
  [N in EndpointName]: {
    path: PathOf<Registry[N]>;
    query: Registry[N] extends { query: infer Q } ? InputOf<Q> : undefined;
    body: Registry[N] extends { body: infer B } ? InputOf<B> : undefined;
    answer: Registry[N]['answer'] extends { body: infer A } ? OutputOf<A> : undefined;
    /** Whether the response may be a file. */
    file: Registry[N]['answer'] extends { file: readonly string[] } ? true : false;
  };
};

type KnownData = { [T in keyof typeof eventData]: z.output<(typeof eventData)[T]> };
/**
 * An event that a webhook receives. New types will be added: ignore types that you do not know.
 */
export type WebhookEvent = {
  [T in Envelope['event_type']]: Omit<Envelope, 'event_type' | 'data'> & {
    event_type: T;
    data: T extends keyof KnownData ? KnownData[T] : Envelope['data'];
  };
}[Envelope['event_type']];

export interface EndpointAddress {
  method: EndpointDefinition['method'];
  path: string;
  /** Whether a repetition could lose a secret, or create a second one. */
  neverRepeated: boolean;
}

export const addresses = Object.fromEntries(
  Object.entries<EndpointDefinition>(registry).map(([name, { method, path, neverReplayed, secretOnce }]) => [
    name,
    { method, path, neverRepeated: neverReplayed ?? secretOnce ?? false },
  ]),
) as Record<EndpointName, EndpointAddress>;
