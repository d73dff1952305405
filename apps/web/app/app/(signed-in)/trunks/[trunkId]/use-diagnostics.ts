'use client';

import { useState } from 'react';
import type { OwnTrunk } from '#lib/dashboard/edit/resources.ts';
import { arrivals } from '#lib/dashboard/trunks/first-call.ts';
import type { PhoneNumber } from '#lib/dashboard/trunks/use-lines-of-trunks.ts';
import { useGet } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';

const PATH = '/v1/sip-trunks/{trunkId}/diagnostics';
export type Diagnostics = Answer<'GET', typeof PATH>['diagnostics'];
export type Refusal = Diagnostics['refusals'][number];

/** Somebody waits for their first call, and wants to see what became of it. */
const WAITING_POLL_MS = 3_000;
const POLL_MS = 20_000;

/** `isFirst`: no line of the trunk had received a call when the page was opened. */
export function useDiagnostics(
  { id: trunkId, numberRules }: OwnTrunk,
  lines: readonly PhoneNumber[] | undefined,
) {
  const [isFirst, setFirst] = useState<boolean>();
  const query = useGet(
    PATH,
    { path: { trunkId } },
    { refetchInterval: isFirst === true ? WAITING_POLL_MS : POLL_MS },
  );
  const diagnostics = query.data?.diagnostics;
  if (isFirst === undefined && diagnostics !== undefined && lines !== undefined) {
    const numbers = lines.map(({ number }) => number);
    const reached = arrivals(diagnostics, numbers, numberRules).some(({ kind }) => kind === 'reached');
    setFirst(!reached && lines.every(({ verifiedAt }) => verifiedAt === null));
  }
  return { data: diagnostics, isFirst: isFirst === true, error: query.error, refetch: query.refetch };
}
