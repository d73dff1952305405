/** A request to a service and its response, whether it comes over HTTP/1.1 or HTTP/2. */
import type { Faults } from './faults.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Response {
  readonly status: number;
  readonly headers?: Record<string, string>;
  /** JSON. */
  readonly body?: unknown;
}

/** Null: nothing is answered. `drop`: the connection is closed. */
export type Outcome = Response | 'drop' | null;

export interface Service {
  readonly faults: Faults;
  /** The device in a request; null: none can be read. */
  tokenOf(request: Request): string | null;
  handle(request: Request): Response;
}

const wait = (ms: number) => new Promise<void>((done) => void setTimeout(done, ms));

export async function serve(service: Service, request: Request): Promise<Outcome> {
  const effect = service.faults.take(service.tokenOf(request));
  switch (effect?.kind) {
    case undefined:
      return service.handle(request);
    case 'respond':
      return {
        status: effect.status,
        ...(effect.headers && { headers: effect.headers }),
        ...(effect.body !== undefined && { body: effect.body }),
      };
    case 'delay':
      await wait(effect.ms);
      return service.handle(request);
    case 'silence':
      return null;
    case 'drop':
      service.handle(request);
      return 'drop';
  }
}

/** Undefined: not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (body: Buffer): Record<string, unknown> | null => {
  const value = parseJson(body.toString('utf8'));
  return isObject(value) ? value : null;
};

export function flatHeaders(
  headers: Readonly<Record<string, string | readonly string[] | number | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || name.startsWith(':') ? [] : [[name, String(value)]],
    ),
  );
}
