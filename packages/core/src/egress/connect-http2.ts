/** HTTP/2 connections with the same checks as all other requests: to the checked address, with https unless private addresses are allowed. */
import { connect } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import { checkedLookup, checkedUrl } from './guard.ts';
import type { EgressOptions } from './guard.ts';

export type Http2ConnectOptions = Pick<EgressOptions, 'allowPrivate' | 'resolve' | 'ca'>;

/**
 * With `http:`, the server must know that HTTP/2 is spoken.
 *
 * @throws EgressRefused
 */
export function connectHttp2(
  url: string,
  { allowPrivate, resolve, ca }: Http2ConnectOptions,
): ClientHttp2Session {
  return connect(checkedUrl(url, allowPrivate).origin, {
    lookup: checkedLookup({ allowPrivate, resolve }),
    settings: { enablePush: false },
    ...(ca !== undefined && { ca }),
  });
}
