'use client';

import { useState } from 'react';
import { useGet } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';

const PATH = '/v1/sip-trunks/{trunkId}/diagnostics';
export type Diagnostics = Answer<'GET', typeof PATH>['diagnostics'];
export type Refusal = Diagnostics['refusals'][number];

/** Somebody waits for their first call, and wants to see what became of it. */
const WAITING_POLL_MS = 3_000;
const POLL_MS = 20_000;

/** `isFirst`: the trunk had received no call when the page was opened. */
export function useDiagnostics(trunkId: number) {
  const [isFirst, setFirst] = useState<boolean>();
  const query = useGet(
    PATH,
    { path: { trunkId } },
    { refetchInterval: isFirst === true ? WAITING_POLL_MS : POLL_MS },
  );
  const diagnostics = query.data?.diagnostics;
  if (isFirst === undefined && diagnostics !== undefined) setFirst(diagnostics.lastInvite === null);
  return { data: diagnostics, isFirst: isFirst === true, error: query.error, refetch: query.refetch };
}
