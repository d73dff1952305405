'use client';

import { useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import type { Flow } from '#lib/dashboard/edit/resources.ts';
import { queryKey } from '#lib/dashboard/queries.ts';
import { request, RequestProblem } from '#lib/dashboard/request.ts';
import { bodyOf, draftOf } from '#lib/flow-builder/draft.ts';
import { problemOfAnswer } from '#lib/flow-builder/problems.ts';
import { placed } from '#lib/flow-builder/placed.ts';
import { EditConflictDialog } from './EditConflictDialog.tsx';
import type { Builder } from './use-builder.ts';

const PATH = '/v1/tenants/{tenantRef}/ivr-flows/{flowRef}';
const LIST = '/v1/tenants/{tenantRef}/ivr-flows';

/** The flow as another user left it. */
export type Other = Flow | 'deleted';

export interface Saving {
  save(): Promise<void>;
  isSaving: boolean;
  isStored: boolean;
  /** When the flow was last stored; null: not yet. */
  savedAt: string | null;
  /** What is drawn was begun from this one; null: from none. Another that is stored by now is not replaced unasked. */
  changesOf(savedAt: string | null): void;
  /** The dialog box for an edit conflict. */
  dialog: ReactNode;
}

interface SavingProps {
  tenantRef: string;
  flowRef: string;
  builder: Builder;
  stored: Flow | null;
}

/** Stores the draft. A version that another user stored in the meantime is overwritten only on request. */
export function useSaving({ tenantRef, flowRef, builder, stored }: SavingProps): Saving {
  const toasts = useToasts();
  const client = useQueryClient();
  const path = { tenantRef, flowRef };
  const [base, setBase] = useState(stored?.updatedAt ?? null);
  const [isSaving, setIsSaving] = useState(false);
  const [other, setOther] = useState<Other | null>(null);

  const keep = async (flow: Flow) => {
    // The query that described the new flow is no longer needed.
    if (base === null) window.history.replaceState(null, '', window.location.pathname);
    setBase(flow.updatedAt);
    client.setQueryData(queryKey(PATH, { path }), { ivrFlow: flow });
    await client.invalidateQueries({ queryKey: [LIST] });
  };
  const store = async () => {
    const { draft } = builder;
    const { ivrFlow } = await request('PUT', PATH, { path, body: bodyOf(draft) });
    builder.markSaved(draft);
    await keep(ivrFlow);
    toasts.add({
      tone: 'positive',
      title: 'Saved',
      description:
        draft.status === 'ACTIVE'
          ? 'The flow now answers new calls to its line.'
          : 'The flow is off and answers no calls yet.',
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
      toasts.add({ tone: 'negative', title: 'The flow was not saved', description: problemMessage(error) });
    } finally {
      setIsSaving(false);
    }
  };
  return {
    isSaving,
    isStored: base !== null,
    savedAt: base,
    changesOf: setBase,
    save: () =>
      run(async () => {
        const since = await readSince(path, base);
        if (since === null) await store();
        else setOther(since);
      }),
    dialog: (
      <EditConflictDialog
        other={other}
        isNew={base === null}
        onClose={() => setOther(null)}
        onTheirs={(theirs) => {
          setOther(null);
          void run(async () => {
            builder.takeOver(await placed(draftOf(theirs)));
            await keep(theirs);
          });
        }}
        onMine={() => {
          setOther(null);
          void run(store);
        }}
      />
    ),
  };
}

type Path = Record<'tenantRef' | 'flowRef', string>;

/** What is stored by now, where it is not what was read here. Null: it is, or nothing was and nothing is. */
async function readSince(path: Path, base: string | null): Promise<Other | null> {
  try {
    const { ivrFlow } = await request('GET', PATH, { path });
    return ivrFlow.updatedAt === base ? null : ivrFlow;
  } catch (error) {
    if (error instanceof RequestProblem && error.status === 404) return base === null ? null : 'deleted';
    throw error;
  }
}
