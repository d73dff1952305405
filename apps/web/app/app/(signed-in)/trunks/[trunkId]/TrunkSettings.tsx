'use client';

import { Button, FieldGroup, Form, Notice, useToasts } from '@clarion/ui';
import { useEffect, useState } from 'react';
import { useLeaveGuard } from '#lib/dashboard/edit/EditDrawer.tsx';
import type { OwnTrunk, SelfService } from '#lib/dashboard/edit/resources.ts';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import { AdvancedFields } from '#lib/dashboard/trunks/AdvancedFields.tsx';
import { splitSources } from '#lib/dashboard/trunks/source-list.ts';
import { draftOf, putBodyOf } from '#lib/dashboard/trunks/trunk-draft.ts';
import { trunkErrors } from '#lib/dashboard/trunks/trunk-errors.ts';
import {
  AuthenticationFields,
  ConnectionFields,
  NumberFormFields,
  SourceFields,
} from '#lib/dashboard/trunks/TrunkFields.tsx';
import { selfServiceTexts } from '#lib/dashboard/trunks/trunk-status.ts';
import { useShowTrunk } from '#lib/dashboard/trunks/use-show-trunk.ts';

interface TrunkSettingsProps {
  trunk: OwnTrunk;
  editable: boolean;
  selfService: SelfService;
  /** The field to show and focus; null: none. */
  wanted: string | null;
}

export function TrunkSettings({ trunk, editable, selfService, wanted }: TrunkSettingsProps) {
  const toasts = useToasts();
  const showTrunk = useShowTrunk();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  /** Discards what was entered for credentials. */
  const [version, setVersion] = useState(0);
  const stored = JSON.stringify([trunk, version]);
  const { draft, change, dirty, saved } = useDraft(true, () => draftOf(trunk), stored);
  const templates = useGet('/v1/carrier-templates', {}, { enabled: trunk.templateId !== null });
  const template = templates.data?.templates.find(({ id }) => id === trunk.templateId) ?? null;
  const put = useChange('PUT', '/v1/sip-trunks/{trunkId}');
  useLeaveGuard(dirty);
  useFocusOn(wanted);
  const save = async () => {
    setBusy(true);
    try {
      const { trunk: changed } = await put.mutateAsync({
        path: { trunkId: trunk.id },
        body: putBodyOf(draft, trunk.hasCredentials),
      });
      setErrors({});
      saved();
      setVersion(version + 1);
      showTrunk(changed);
      toasts.add({ title: 'Saved', description: 'The settings apply to new calls.', tone: 'positive' });
    } catch (problem) {
      setErrors(trunkErrors(problem, splitSources(draft.sources)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex max-w-2xl flex-col gap-6">
      {!editable && (
        <Notice>
          {trunk.status === 'SUSPENDED'
            ? 'The operator suspended this trunk: its settings cannot be changed.'
            : selfServiceTexts[selfService].meaning}
        </Notice>
      )}
      <fieldset disabled={!editable} className="min-w-0">
        <legend className="sr-only">Trunk settings</legend>
        <Form errors={errors} busy={busy} onSubmit={save}>
          <FieldGroup title="Carrier" className="border-t-0 pt-0">
            <ConnectionFields draft={draft} change={change} />
          </FieldGroup>
          <FieldGroup title="Authentication">
            <AuthenticationFields
              key={version}
              draft={draft}
              change={change}
              hasCredentials={trunk.hasCredentials}
            />
          </FieldGroup>
          <FieldGroup title="Inbound calls">
            <SourceFields draft={draft} change={change} template={template} />
          </FieldGroup>
          <FieldGroup
            title="How the carrier writes numbers"
            hint="Most carriers write them with the country code: then leave both empty."
          >
            <NumberFormFields draft={draft} change={change} />
          </FieldGroup>
          <AdvancedFields
            draft={draft}
            change={change}
            wanted={[...Object.keys(errors), ...(wanted === null ? [] : [wanted])]}
          />
          {editable && (
            <div className="sticky bottom-0 -mx-4 flex items-center gap-3 border-t border-line bg-canvas px-4 py-3 sm:mx-0 sm:px-0">
              <Button tone="accent" type="submit" busy={busy} disabled={!dirty}>
                Save changes
              </Button>
              <span className="text-md text-muted" role="status">
                {dirty ? 'Unsaved changes' : 'All changes saved'}
              </span>
            </div>
          )}
        </Form>
      </fieldset>
    </div>
  );
}

/** Puts the focus on the field that a link asked for, once it is there. */
function useFocusOn(field: string | null): void {
  useEffect(() => {
    if (field === null) return;
    const name = `[name="${CSS.escape(field)}"], [name^="${CSS.escape(field)}."]`;
    // Controls with lists are loaded after the form.
    const look = () => {
      const control = document.querySelector<HTMLElement>(name);
      control?.focus();
      control?.scrollIntoView({ block: 'center' });
      return control !== null;
    };
    if (look()) return;
    const observer = new MutationObserver(() => look() && observer.disconnect());
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [field]);
}
