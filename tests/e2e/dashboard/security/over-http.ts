/** Requests that browsers cannot send: any Host, any header, any path without normalisation. */
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

export interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}
export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

const ANSWER_WITHIN_MS = 20_000;

/** Like `askOnce`, but follows Next's redirect of a React Server Components request to its canonical URL (`_rsc`), as its pages do. */
export async function ask(baseUrl: string, path: string, asked: Asked = {}): Promise<Answered> {
  const answer = await askOnce(baseUrl, path, asked);
  const { pathname, search, searchParams } = new URL(answer.headers.location ?? '', baseUrl);
  const isSamePart = answer.status === 307 && searchParams.has('_rsc') && pathname === path.split('?', 1)[0];
  return isSamePart ? askOnce(baseUrl, pathname + search, asked) : answer;
}

function askOnce(
  baseUrl: string,
  path: string,
  { method = 'GET', headers = {}, body }: Asked = {},
): Promise<Answered> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers, timeout: ANSWER_WITHIN_MS }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(parts).toString('utf8'),
        }),
      );
    });
    asked.on('timeout', () => asked.destroy(new Error(`no response to ${method} ${path}`)));
    asked.on('error', reject);
    asked.end(body);
  });
}

/** The headers that Next's pages send when they navigate to another page. */
export const RSC = { RSC: '1', 'Next-Url': '/app' };

/** Processes a few items concurrently, because the service has limits and the machine few cores. */
export async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const AT_ONCE = 6;
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}
