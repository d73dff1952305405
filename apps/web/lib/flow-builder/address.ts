/** The URL of a flow in the builder, and of a new flow, which is not stored until it is saved. */
import { triggerOf } from './draft.ts';
import type { Draft } from './draft.ts';
import { isTemplate } from './template-names.ts';
import type { TemplateName } from './template-names.ts';

export const flowAddress = (tenantRef: string, flowRef: string) =>
  `/app/t/${encodeURIComponent(tenantRef)}/flows/${encodeURIComponent(flowRef)}`;

/** What a new flow starts from. */
export type Beginning = Pick<Draft, 'name' | 'channelRef' | 'triggerCondition'> &
  ({ template: TemplateName } | { copyOf: string });

export function beginningAddress(tenantRef: string, flowRef: string, beginning: Beginning): string {
  const query = new URLSearchParams({
    name: beginning.name,
    line: beginning.channelRef,
    when: beginning.triggerCondition,
    ...('template' in beginning ? { template: beginning.template } : { copy: beginning.copyOf }),
  });
  return `${flowAddress(tenantRef, flowRef)}?${query}`;
}

/** Null: the URL does not describe a new flow. */
export function readBeginning(get: (name: string) => string): Beginning | null {
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

const GO_ON = 'go_on';

/** The URL that restores an unsaved draft of a stored or a new flow. */
export function goOnAddress(tenantRef: string, flowRef: string, draft: Draft, isStored: boolean): string {
  const { name, channelRef, triggerCondition } = draft;
  const address = isStored
    ? `${flowAddress(tenantRef, flowRef)}?`
    : `${beginningAddress(tenantRef, flowRef, { name, channelRef, triggerCondition, template: 'blank' })}&`;
  return `${address}${GO_ON}=1`;
}

export const isGoingOn = (get: (name: string) => string): boolean => get(GO_ON) !== '';
