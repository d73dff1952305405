'use client';

import { ButtonLink, IconButton, Notice, RelativeTime } from '@clarion/ui';
import { X } from 'lucide-react';
import { useState } from 'react';
import type { Flow } from '#lib/dashboard/edit/resources.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { goOnAddress } from '#lib/flow-builder/address.ts';
import { unsavedDraftOwner, unsavedDraftKey, tabStorage } from '#lib/flow-builder/unsaved-draft-storage.ts';
import { readUnsavedDraft } from '#lib/flow-builder/unsaved-draft.ts';

interface UnsavedFlowsProps {
  tenantRef: string;
  /** Flows with unsaved changes, stored or not. */
  refs: readonly string[];
  stored: readonly Flow[];
}

/** Links to flows that were edited in this tab and not saved. */
export function UnsavedFlows({ tenantRef, refs, stored }: UnsavedFlowsProps) {
  const by = unsavedDraftOwner(useMe());
  const [dropped, setDropped] = useState<readonly string[]>([]);
  const left = refs
    .filter((ref) => !dropped.includes(ref))
    .flatMap((ref) => {
      const kept = readUnsavedDraft(tabStorage.get(unsavedDraftKey(tenantRef, ref)), by);
      return kept === null ? [] : [{ ref, ...kept, name: kept.draft.name || ref }];
    });
  if (left.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      {left.map(({ ref, name, at, draft }) => {
        const isStored = stored.some((flow) => flow.ref === ref);
        return (
          <Notice
            key={ref}
            tone="accent"
            title={isStored ? `${name} has unsaved changes` : `The new flow ${name} is not saved`}
            action={
              <span className="flex items-center gap-2">
                <ButtonLink
                  size="sm"
                  aria-label={`Continue editing ${name}`}
                  href={goOnAddress(tenantRef, ref, draft, isStored)}
                >
                  Continue editing
                </ButtonLink>
                <IconButton
                  size="sm"
                  label={`Discard changes to ${name}`}
                  icon={<X />}
                  onClick={() => {
                    tabStorage.remove(unsavedDraftKey(tenantRef, ref));
                    setDropped((before) => [...before, ref]);
                  }}
                />
              </span>
            }
          >
            Last edited <RelativeTime at={at} />.
          </Notice>
        );
      })}
    </div>
  );
}
