/** IVR flow row → resource. */
import { ivrStructure } from '@clarion/protocol/ivr/structure';
import type { IvrFlowResource } from '@clarion/protocol/v1/tenant/ivr-flows';
import type { IvrFlowRow } from './flow-of.ts';

export const presentIvrFlow = (flow: IvrFlowRow): IvrFlowResource => ({
  id: flow.id,
  ref: flow.ref,
  name: flow.name,
  channelId: flow.channelId,
  channelRef: flow.channel.ref,
  status: flow.status,
  triggerCondition: flow.triggerCondition,
  structure: ivrStructure.parse(flow.structure),
  createdAt: flow.createdAt.toISOString(),
  updatedAt: flow.updatedAt.toISOString(),
});
