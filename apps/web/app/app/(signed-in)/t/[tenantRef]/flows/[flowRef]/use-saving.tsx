'use client';

import { ConfirmDialog, useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { problemSentence } from '../../../../../../../lib/dashboard/edit/problem-words.ts';
import type { Flow } from '../../../../../../../lib/dashboard/edit/resources.ts';
import { queryKey } from '../../../../../../../lib/dashboard/queries.ts';
import { request, RequestProblem } from '../../../../../../../lib/dashboard/request.ts';
import { bodyOf, draftOf } from '../../../../../../../lib/flow-builder/draft.ts';
import { problemOfAnswer } from '../../../../../../../lib/flow-builder/problems.ts';
import type { Builder } from './use-builder.ts';

const PATH = '/v1/tenants/{tenantRef}/ivr-flows/{flowRef}';
const LIST = '/v1/tenants/{tenantRef}/ivr-flows';

export interface Saving {
  save(): Promise<void>;
  isSaving: boolean;
  isStored: boolean;
  /** When it was stored; null: not yet. */
  savedAt: string | null;
  /** Asks what to do when somebody else saved it meanwhile. */
  dialog: ReactNode;
}

interface SavingProps {
  tenantRef: string;
  flowRef: string;
  builder: Builder;
  stored: Flow | null;
}

/** Stores the flow as it is drawn. What somebody else stored since it was read here is overwritten only when that is wanted. */
export function useSaving({ tenantRef, flowRef, builder, stored }: SavingProps): Saving {
  const toasts = useToasts();
  const client = useQueryClient();
  const path = { tenantRef, flowRef };
  const [base, setBase] = useState(stored?.updatedAt ?? null);
  const [isSaving, setIsSaving] = useState(false);
  const [other, setOther] = useState<Flow | null>(null);

  const keep = async (flow: Flow) => {
    setBase(flow.updatedAt);
    client.setQueryData(queryKey(PATH, { path }), { ivrFlow: flow });
    await client.invalidateQueries({ queryKey: [LIST] });
  };
  const store = async () => {
    const { draft } = builder;
    const { ivrFlow } = await request('PUT', PATH, { path, body: bodyOf(draft) });
    builder.markSaved(draft);
    // What it began as is no part of its address any more.
    if (base === null) window.history.replaceState(null, '', window.location.pathname);
    await keep(ivrFlow);
    toasts.add({
      tone: 'positive',
      title: 'Saved',
      description:
        draft.status === 'ACTIVE'
          ? 'New calls to the line are answered by it.'
          : 'It is off: no call reaches it yet.',
    });
  };
  const run = async (work: () => Promise<void>) => {
    if (isSaving || !builder.editable) return;
    setIsSaving(true);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof RequestProblem)) throw error;
      if (error.details?.field !== undefined)
        builder.refuse(problemOfAnswer(builder.draft, error.details.field, error.message));
      toasts.add({ tone: 'negative', title: 'The flow was not saved', description: problemSentence(error) });
    } finally {
      setIsSaving(false);
    }
  };
  /** Null: nobody has stored it since. */
  const storedSince = async (): Promise<Flow | null> => {
    try {
      const { ivrFlow } = await request('GET', PATH, { path });
      return ivrFlow.updatedAt === base ? null : ivrFlow;
    } catch (error) {
      if (error instanceof RequestProblem && error.status === 404) return null;
      throw error;
    }
  };
  return {
    isSaving,
    isStored: base !== null,
    savedAt: base,
    save: () =>
      run(async () => {
        const theirs = await storedSince();
        if (theirs === null) await store();
        else setOther(theirs);
      }),
    dialog: (
      <ConfirmDialog
        open={other !== null}
        onOpenChange={() => setOther(null)}
        title={base === null ? 'A flow with this ref is there already' : 'Somebody else saved this flow'}
        confirmLabel="Save mine over it"
        cancelLabel="Go on drawing"
        tone="negative"
        onConfirm={async () => {
          setOther(null);
          await run(store);
        }}
      >
        It was saved {other === null ? '' : new Date(other.updatedAt).toLocaleString()}. Saving yours replaces
        what they changed.{' '}
        <button
          type="button"
          className="cl-focus font-medium text-accent underline"
          onClick={() => {
            if (other === null) return;
            builder.restart(draftOf(other));
            void keep(other);
            setOther(null);
          }}
        >
          Show theirs and drop mine
        </button>
        ..
      </ConfirmDialog>
    ),
  };
}
