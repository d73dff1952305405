/** IVR flows. */
import { z } from 'zod';
import { ivrFlowStatuses, ivrTriggers } from '../../enums.ts';
import { ivrStructure, ivrStructureInput } from '../../ivr/structure.ts';
import { defineEndpoint } from '../endpoint.ts';
import {
  id,
  NAME_MAX_CHARS,
  orDefault,
  ref,
  required,
  text,
  timestamp,
  enumField,
} from '../fields/fields.ts';

export const putIvrFlowBody = z
  .object({
    name: required(text(NAME_MAX_CHARS)),
    channel_ref: required(ref),
    status: orDefault(enumField(ivrFlowStatuses), 'ACTIVE'),
    trigger_condition: orDefault(enumField(ivrTriggers), 'ALWAYS'),
    structure: required(ivrStructureInput),
  })
  .transform((body) => ({
    name: body.name,
    channelRef: body.channel_ref,
    status: body.status,
    triggerCondition: body.trigger_condition,
    structure: body.structure,
  }));
export type PutIvrFlow = z.output<typeof putIvrFlowBody>;

export const ivrFlowResource = z.strictObject({
  id,
  ref: z.string(),
  name: z.string(),
  channelId: id,
  channelRef: z.string(),
  status: z.enum(ivrFlowStatuses),
  triggerCondition: z.enum(ivrTriggers),
  /** With every node's defaults filled in. */
  structure: ivrStructure,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type IvrFlowResource = z.input<typeof ivrFlowResource>;

const path = '/v1/tenants/{tenantRef}/ivr-flows/{flowRef}';
const pathExample = { tenantRef: 'acme', flowRef: 'welcome' };
const edges = [
  { source: 'start', target: 'menu' },
  { source: 'menu', target: 'support', sourceHandle: '1' },
];
const structureSent = {
  nodes: [
    { id: 'start', type: 'ivr_start', data: {} },
    {
      id: 'menu',
      type: 'ivr_menu',
      data: { audioFileId: 9, timeoutSeconds: 5, noInputAction: 'replay' },
    },
    { id: 'support', type: 'ivr_transfer', data: { targetType: 'queue', targetId: 3 } },
  ],
  edges,
};
const example = {
  id: 5,
  ref: 'welcome',
  name: 'Welcome menu',
  channelId: 12,
  channelRef: 'main',
  status: 'ACTIVE',
  triggerCondition: 'ALWAYS',
  structure: {
    nodes: structureSent.nodes.map((node) =>
      node.type === 'ivr_menu' ? { ...node, data: { ...node.data, maxReplays: 3 } } : node,
    ),
    edges,
  },
  createdAt: '2026-01-05T09:00:00.000Z',
  updatedAt: '2026-01-05T09:00:00.000Z',
};
const one = z.strictObject({ ivrFlow: ivrFlowResource });

export const ivrFlowEndpoints = {
  putIvrFlow: defineEndpoint({
    method: 'PUT',
    path,
    summary:
      'Creates or replaces an IVR flow. Its graph is validated: it must have one start node, every node must be reachable, every exit may be used once, and every target must exist. A channel has at most one ACTIVE flow per trigger.',
    body: putIvrFlowBody,
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: {
      path: pathExample,
      body: {
        name: 'Welcome menu',
        channel_ref: 'main',
        status: 'ACTIVE',
        trigger_condition: 'ALWAYS',
        structure: structureSent,
      },
      answer: { ivrFlow: example },
    },
  }),
  getIvrFlow: defineEndpoint({
    method: 'GET',
    path,
    summary: 'Returns an IVR flow.',
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: { path: pathExample, answer: { ivrFlow: example } },
  }),
  listIvrFlows: defineEndpoint({
    method: 'GET',
    path: '/v1/tenants/{tenantRef}/ivr-flows',
    summary: 'Lists all IVR flows of the tenant, oldest first.',
    answer: { status: 200, body: z.strictObject({ ivrFlows: z.array(ivrFlowResource) }) },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: { path: { tenantRef: 'acme' }, answer: { ivrFlows: [example] } },
  }),
  deleteIvrFlow: defineEndpoint({
    method: 'DELETE',
    path,
    summary: "Deletes an IVR flow. Calls to its channel go to the channel's other flows, or to its queue.",
    answer: { status: 204 },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: { path: pathExample },
  }),
};
