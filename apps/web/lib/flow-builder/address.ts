/** The URL of a flow in the builder, and of a new flow, which is not stored until it is saved. */
import { triggerOf } from './draft.ts';
import type { Draft } from './draft.ts';
import { isTemplate } from './template-names.ts';
import type { TemplateName } from './template-names.ts';

export const flowAddress = (tenantRef: string, flowRef: string) =>
  `/app/t/${encodeURIComponent(tenantRef)}/flows/${encodeURIComponent(flowRef)}`;

/** What a new flow starts from. */
export type NewFlowSettings = Pick<Draft, 'name' | 'channelRef' | 'triggerCondition'> &
  ({ template: TemplateName } | { copyOf: string });

export function newFlowAddress(tenantRef: string, flowRef: string, newFlow: NewFlowSettings): string {
  const query = new URLSearchParams({
    name: newFlow.name,
    line: newFlow.channelRef,
    when: newFlow.triggerCondition,
    ...('template' in newFlow ? { template: newFlow.template } : { copy: newFlow.copyOf }),
  });
  return `${flowAddress(tenantRef, flowRef)}?${query}`;
}

/** Null: the URL does not describe a new flow. */
export function readNewFlow(get: (name: string) => string): NewFlowSettings | null {
  const template = get('template');
  const copyOf = get('copy');
  const settings = {
    name: get('name'),
    channelRef: get('line'),
    triggerCondition: triggerOf(get('when')),
  };
  if (isTemplate(template)) return { ...settings, template };
  return copyOf === '' ? null : { ...settings, copyOf };
}

const RESTORE = 'go_on';

/** The URL that restores an unsaved draft of a stored or a new flow. */
export function restoreDraftAddress(
  tenantRef: string,
  flowRef: string,
  draft: Draft,
  isStored: boolean,
): string {
  const { name, channelRef, triggerCondition } = draft;
  const address = isStored
    ? `${flowAddress(tenantRef, flowRef)}?`
    : `${newFlowAddress(tenantRef, flowRef, { name, channelRef, triggerCondition, template: 'blank' })}&`;
  return `${address}${RESTORE}=1`;
}

export const isRestoring = (get: (name: string) => string): boolean => get(RESTORE) !== '';
