'use client';

import { Button, IconButton, Notice, RelativeTime, useToasts } from '@clarion/ui';
import { X } from 'lucide-react';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useMe } from '#lib/dashboard/me.tsx';
import { isSame } from '#lib/flow-builder/draft.ts';
import { unsavedDraftOwner, unsavedDraftKey, tabStorage } from '#lib/flow-builder/unsaved-draft-storage.ts';
import { unsavedDraftText, readUnsavedDraft } from '#lib/flow-builder/unsaved-draft.ts';
import type { UnsavedDraft } from '#lib/flow-builder/unsaved-draft.ts';
import type { Builder } from './use-builder.ts';
import type { Saving } from './use-saving.tsx';

interface UnsavedDraftProps {
  tenantRef: string;
  flowRef: string;
  builder: Builder;
  saving: Saving;
  /** The link was opened to restore the draft. */
  goOn: boolean;
}

/**
 * Changes that were not saved outlive the page: the browser's Back, a sign-in in between, a tab that broke down. They are kept in the
 * tab's storage and offered when the flow is opened again. Back itself is let go: an entry of our own in the history would have to
 * be kept in step with the router's, and would not help when the tab is gone.
 */
export function useUnsavedDraft({ tenantRef, flowRef, builder, saving, goOn }: UnsavedDraftProps): {
  /** Discards the draft. */
  forget(): void;
  /** Offers to restore or discard the unsaved draft. */
  offer: ReactNode;
} {
  const me = useMe();
  const toasts = useToasts();
  const by = unsavedDraftOwner(me);
  const key = unsavedDraftKey(tenantRef, flowRef);
  const { draft, hasChanges, editable } = builder;
  const { savedAt: base } = saving;
  const [offered, setOffered] = useState<UnsavedDraft | null>(() => {
    const found = editable ? readUnsavedDraft(tabStorage.get(key), by) : null;
    return found === null || isSame(found.draft, draft) ? null : found;
  });

  useEffect(() => {
    if (hasChanges) tabStorage.set(key, unsavedDraftText({ by, at: Date.now(), base, draft }));
    else if (offered === null) tabStorage.remove(key);
  }, [key, by, base, draft, hasChanges, offered]);

  const isLeft = useRef(hasChanges);
  const isDropped = useRef(false);
  useEffect(() => {
    isLeft.current = hasChanges;
    isDropped.current = false;
  }, [draft, hasChanges]);
  useEffect(
    () => () => {
      if (isLeft.current && !isDropped.current)
        toasts.add({
          title: 'Your unsaved changes were kept',
          description: 'Open the flow again in this tab to continue editing.',
        });
    },
    [toasts],
  );
  const forget = useCallback(() => {
    isDropped.current = true;
    tabStorage.remove(key);
  }, [key]);

  const accept = (found: UnsavedDraft) => {
    // What is stored by now may be newer than what they are changes of: then saving asks.
    saving.changesOf(found.base);
    builder.change(() => found.draft);
    setOffered(null);
  };
  const onOpened = useRef(() => {
    if (goOn && offered !== null) accept(offered);
  });
  useEffect(() => onOpened.current(), []);

  return {
    forget,
    offer: offered && (
      <Notice
        tone="accent"
        title="You have unsaved changes"
        className="m-3"
        action={
          <span className="flex items-center gap-2">
            <Button size="sm" onClick={() => accept(offered)}>
              Continue editing
            </Button>
            <IconButton size="sm" label="Discard changes" icon={<X />} onClick={() => setOffered(null)} />
          </span>
        }
      >
        Last edited <RelativeTime at={offered.at} />.
      </Notice>
    ),
  };
}
