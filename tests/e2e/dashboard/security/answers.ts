/** Requirements for the responses of pages. */
import type { Answered } from './over-http.ts';

/** A React Server Components response has the status 200 and reports inside that the page was not found. */
export const isNotFound = ({ status, headers, text }: Answered): boolean =>
  status === 404 ||
  (status === 200 &&
    headers['content-type'] === 'text/x-component' &&
    text.includes('NEXT_HTTP_ERROR_FALLBACK;404'));

export const policyOf = ({ headers }: Answered): Map<string, string> =>
  new Map(
    String(headers['content-security-policy'])
      .split('; ')
      .map((directive) => [directive.split(' ', 1)[0] ?? '', directive] as const),
  );
/** The requirements that a response violates. */
export function faultsOf(answer: Answered): string[] {
  const policy = policyOf(answer);
  const script = policy.get('script-src') ?? '';
  const [, nonce = ''] = /'nonce-([^']{20,})'/.exec(script) ?? [];
  const inline = [...answer.text.matchAll(/<script(?![^>]*\ssrc=)[^>]*>/g)].map(([tag]) => tag);
  const caching = String(answer.headers['cache-control']);
  const isWrong: Record<string, boolean> = {
    'no nonce': nonce === '',
    'scripts run without a nonce': /unsafe-inline|unsafe-eval|\*/.test(script),
    'a script of ours has no nonce': inline.some((tag) => !tag.includes(`nonce="${nonce}"`)),
    'may be framed': policy.get('frame-ancestors') !== "frame-ancestors 'none'",
    'may be framed by old browsers': answer.headers['x-frame-options'] !== 'DENY',
    'is kept by caches': !(caching.includes('no-store') && caching.includes('private')),
    'reveals the framework': answer.headers['x-powered-by'] !== undefined,
    'can be accessed by its opener': answer.headers['cross-origin-opener-policy'] !== 'same-origin',
    'allows content type sniffing': answer.headers['x-content-type-options'] !== 'nosniff',
  };
  return Object.keys(isWrong).filter((what) => isWrong[what]);
}
