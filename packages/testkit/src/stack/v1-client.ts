/**
 * A plain HTTP client of `/v1`, as a backend without our SDK would use. Every response must be described in the OpenAPI document, so that
 * each end-to-end run verifies the document too.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { buildOpenApi } from '@clarion/protocol/openapi/build-openapi';
import { checkerOf } from '@clarion/protocol/openapi/testing';
import type { DocumentChecker } from '@clarion/protocol/openapi/testing';

export interface V1Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

let documented: DocumentChecker | undefined;

/** Paths that are not endpoints are ignored. */
function expectDocumented(method: string, path: string, { status, headers }: Response, text: string): void {
  documented ??= checkerOf(buildOpenApi({ baseUrl: 'http://localhost', version: '0' }));
  const template = documented.templateOf(path.split('?', 1)[0] ?? '', method);
  if (template === undefined) return;
  const contentType = headers.get('content-type');
  const complaints = documented.undocumented(template, method, { status, contentType, text });
  if (complaints.length > 0) {
    throw new Error(`${method} ${path} returned an undocumented response: ${complaints.join('; ')}`);
  }
}

export class V1Client {
  readonly baseUrl: string;
  readonly apiKey: string;

  constructor(baseUrl: string, apiKey: string) {
    this.baseUrl = baseUrl;
    this.apiKey = apiKey;
  }

  async request<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<V1Answer<T>> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expectDocumented(method, path, response, text);
    const parsed: T = JSON.parse(text.startsWith('{') ? text : JSON.stringify({ text }));
    return { status: response.status, headers: response.headers, body: parsed };
  }

  /** The body of a 2xx response. Rejects on any other status. */
  async ok<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.request<T>(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Like `ok`, but when the rate limit is exceeded, waits for as long as the response specifies. */
  async okInTime<T>(method: string, path: string): Promise<T> {
    for (;;) {
      const answer = await this.request<T>(method, path);
      if (answer.status < 300) return answer.body;
      if (answer.status !== 429) throw new Error(`${method} ${path}: ${answer.status}`);
      await sleep(Number(answer.headers.get('retry-after')) * 1000);
    }
  }
}
