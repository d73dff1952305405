/** What a device receives in a push notification: a flat object of strings, the same with every provider. */
import { z } from 'zod';
import { assignmentTypes, withdrawReasons } from './enums.ts';

const always = {
  pushId: z.uuid(),
  tenantRef: z.string(),
  agentRef: z.string(),
  sentAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
};
const aboutCall = {
  ...always,
  callId: z.string().regex(/^\d+$/),
  channelRef: z.string(),
  callerAddress: z.string().optional(),
  callerName: z.string().optional(),
};
export const incomingPushPayload = z.object({
  type: z.literal('call.incoming'),
  ...aboutCall,
  assignmentType: z.enum(assignmentTypes),
});
export const withdrawnPushPayload = z.object({
  type: z.literal('call.withdrawn'),
  ...aboutCall,
  reason: z.enum(withdrawReasons),
});
export const missedPushPayload = z.object({ type: z.literal('call.missed'), ...aboutCall });
export const testPushPayload = z.object({ type: z.literal('test'), ...always });
export const pushPayload = z.discriminatedUnion('type', [
  incomingPushPayload,
  withdrawnPushPayload,
  missedPushPayload,
  testPushPayload,
]);
export type PushPayload = z.infer<typeof pushPayload>;
export type IncomingPushPayload = z.infer<typeof incomingPushPayload>;
