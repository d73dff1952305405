/** A POST over HTTP/1.1 through the egress guard, with as few connections to each push service as are needed. */
import { EgressRefused } from '../../egress/guard.ts';
import type { Egress } from '../../egress/guard.ts';
import { MAX_ANSWER_BYTES } from './answer.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import type { Http2Result } from './http2-connection.ts';
import type { TimeLeft } from './time-left.ts';

/** Connections to one origin. One request takes about 50 ms, so these are enough for several hundred per second. */
const MAX_CONNECTIONS_PER_ORIGIN = 32;

export interface PostRequest {
  headers: Record<string, string>;
  body: string | Uint8Array;
}

export type Post = (url: string, request: PostRequest, timeLeft: TimeLeft) => Promise<Http2Result>;

export function createPost(egress: Pick<Egress, 'exchange'>): Post {
  const limit = new ConcurrencyLimit(MAX_CONNECTIONS_PER_ORIGIN);
  return async (url, request, timeLeft) => {
    if (timeLeft() <= 0) return { silence: 'Timeout' };
    try {
      const answer = await limit.run(URL.parse(url)?.origin ?? '', timeLeft(), async () => {
        const timeoutMs = timeLeft();
        if (timeoutMs <= 0) return null;
        return egress.exchange(url, {
          method: 'POST',
          ...request,
          timeoutMs,
          maxBodyBytes: MAX_ANSWER_BYTES,
        });
      });
      return answer ?? { silence: 'Timeout' };
    } catch (error) {
      return silenceOf(error);
    }
  };
}

function silenceOf(error: unknown): Http2Result {
  if (!(error instanceof Error)) return { silence: 'ConnectionLost' };
  if (error instanceof EgressRefused) return { silence: 'AddressNotAllowed', refused: true };
  if (error.name === 'TimeoutError') return { silence: 'Timeout' };
  return { silence: 'code' in error && typeof error.code === 'string' ? error.code : 'ConnectionLost' };
}
