'use client';

import { useRef } from 'react';
import { RequestProblem } from '../request.ts';

/** After these, the request may have been run, or may still be running. */
const UNCERTAIN: RequestProblem['code'][] = ['unreachable', 'idempotency_key_in_use'];

/** Repeats the same request with the same Idempotency-Key while its outcome is not known, so that nothing is booked twice. */
export function useOnce() {
  const pending = useRef<{ body: string; key: string } | null>(null);
  return async <T>(body: unknown, send: (idempotencyKey: string) => Promise<T>): Promise<T> => {
    const text = JSON.stringify(body);
    const { key } = pending.current?.body === text ? pending.current : { key: crypto.randomUUID() };
    pending.current = { body: text, key };
    try {
      const answer = await send(key);
      pending.current = null;
      return answer;
    } catch (failure) {
      if (!(failure instanceof RequestProblem) || !UNCERTAIN.includes(failure.code)) pending.current = null;
      throw failure;
    }
  };
}
