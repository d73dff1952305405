/**
 * One request with undici's lowest-level API. Webhooks are the largest part of outgoing requests, and the streams and signals of undici's
 * `request` cost twice as much as the exchange itself.
 */
import type { Dispatcher } from 'undici';
import type { EgressExchange, EgressResponse } from './guard.ts';

/** A response body is read up to this limit, so that the connection can be reused; beyond it the connection is closed. */
const DRAIN_BYTES = 64 * 1024;

/**
 * Resolves when the response is complete or exceeds the limit. Rejects with the connection's error, or with a TimeoutError if the request
 * took longer than `timeoutMs`, including the wait for a connection.
 */
export function dispatchOnce(
  dispatcher: Dispatcher,
  target: URL,
  { method, headers, body, timeoutMs, maxBodyBytes }: EgressExchange,
): Promise<EgressResponse> {
  return new Promise((resolve, reject) => {
    const kept: Buffer[] = [];
    let status = 0;
    let retryAfter: string | undefined;
    let length = 0;
    let started: Dispatcher.DispatchController | undefined;
    let over = false;
    const end = (settle: () => void, abortFor?: Error) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      settle();
      if (abortFor) started?.abort(abortFor);
    };
    const answer = () =>
      resolve({
        status,
        text: Buffer.concat(kept).toString('utf8'),
        ...(retryAfter !== undefined && { retryAfter }),
      });
    const timer = setTimeout(() => {
      const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
      end(() => reject(late), late);
    }, timeoutMs);
    dispatcher.dispatch(
      {
        origin: target.origin,
        path: target.pathname + target.search,
        method,
        headers: { ...(body !== null && { 'content-type': 'application/json' }), ...headers },
        body,
        // The timer above limits the whole request, so undici's own, coarser timeouts are disabled.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(controller) {
          started = controller;
          if (over) controller.abort(new Error('timed out before the connection was established'));
        },
        onResponseStart(_, statusCode, headers) {
          status = statusCode; // an informational response (103) is followed by the final one
          retryAfter = [headers['retry-after']].flat()[0];
        },
        onResponseData(_, chunk) {
          if (length < maxBodyBytes) kept.push(chunk.subarray(0, maxBodyBytes - length));
          length += chunk.length;
          if (length > DRAIN_BYTES) end(answer, new Error('the response is longer than the limit'));
        },
        onResponseEnd: () => end(answer),
        onResponseError: (_, error) => end(() => reject(error)),
      },
    );
  });
}
