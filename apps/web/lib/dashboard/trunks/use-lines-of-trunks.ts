'use client';

import type { Answer } from '../request.ts';
import { useGet } from '../queries.ts';

export type PhoneNumber = Answer<'GET', '/v1/numbers'>['numbers'][number];

/** The assigned numbers of a trunk, each of which is a line. Undefined while loading. */
export function useLinesOfTrunks(): (trunkId: number) => PhoneNumber[] | undefined {
  const { data } = useGet('/v1/numbers', { query: { status: 'ASSIGNED' } });
  return (trunkId) => data?.numbers.filter(({ sipTrunkId }) => sipTrunkId === trunkId);
}
