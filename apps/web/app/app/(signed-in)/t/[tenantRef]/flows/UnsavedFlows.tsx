'use client';

import { ButtonLink, IconButton, Notice, RelativeTime } from '@clarion/ui';
import { X } from 'lucide-react';
import { useState } from 'react';
import type { Flow } from '../../../../../../lib/dashboard/edit/resources.ts';
import { useMe } from '../../../../../../lib/dashboard/me.tsx';
import { goOnAddress } from '../../../../../../lib/flow-builder/address.ts';
import { keptBy, keptKey, tabStorage } from '../../../../../../lib/flow-builder/kept-place.ts';
import { readKept } from '../../../../../../lib/flow-builder/kept.ts';

interface UnsavedFlowsProps {
  tenantRef: string;
  /** Flows that changes were left of, stored ones and others. */
  refs: readonly string[];
  stored: readonly Flow[];
}

/** Flows that were drawn in this tab and left without being saved: the way back to each. */
export function UnsavedFlows({ tenantRef, refs, stored }: UnsavedFlowsProps) {
  const by = keptBy(useMe());
  const [dropped, setDropped] = useState<readonly string[]>([]);
  return refs
    .filter((ref) => !dropped.includes(ref))
    .map((ref) => {
      const key = keptKey(tenantRef, ref);
      const kept = readKept(tabStorage.get(key), by);
      if (kept === null) return null;
      const { name } = kept.draft;
      const isStored = stored.some((flow) => flow.ref === ref);
      return (
        <Notice
          key={ref}
          tone="accent"
          title={
            isStored ? `Changes of ${name || ref} are not saved` : `The new flow ${name || ref} is not saved`
          }
          action={
            <span className="flex items-center gap-2">
              <ButtonLink size="sm" href={goOnAddress(tenantRef, ref, kept.draft, isStored)}>
                Go on drawing
              </ButtonLink>
              <IconButton
                size="sm"
                label={`Drop what was drawn of ${name || ref}`}
                icon={<X />}
                onClick={() => {
                  tabStorage.remove(key);
                  setDropped((before) => [...before, ref]);
                }}
              />
            </span>
          }
        >
          You left it <RelativeTime at={kept.at} />.
        </Notice>
      );
    });
}
