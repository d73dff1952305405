'use client';

import { useQueryClient } from '@tanstack/react-query';
import type { OwnTrunk } from '../edit/resources.ts';
import { invalidate, queryKey } from '../queries.ts';
import type { Answer } from '../request.ts';

/** Shows a changed trunk at once, and loads again what may depend on it. */
export function useShowTrunk(): (trunk: OwnTrunk) => void {
  const client = useQueryClient();
  return (trunk) => {
    client.setQueryData<Answer<'GET', '/v1/sip-trunks'>>(
      queryKey('/v1/sip-trunks', {}),
      (list) => list && { ...list, trunks: list.trunks.map((each) => (each.id === trunk.id ? trunk : each)) },
    );
    void invalidate(client, ['/v1/sip-trunks', '/v1/sip-trunks/{trunkId}/diagnostics']);
  };
}
