/** The call view: one resource for /v1, events and sockets. */
import { z } from 'zod';
import {
  addressTypes,
  callDirections,
  callStatuses,
  channelTypes,
  ivrOutcomes,
  leaveReasons,
  legStates,
  legTypes,
  mediaPaths,
  participantKinds,
  terminationReasons,
  terminators,
} from './enums.ts';
import { failureCodes } from './failures.ts';

const timestamp = z.iso.datetime({ precision: 3 });

/** Technical details of a failed call; `message` is for humans. */
export const failureDetails = z.object({
  sipStatus: z.number().int().nullable(),
  sipReason: z.string().nullable(),
  q850: z.number().int().nullable(),
  /** The error code of a provider that does not use SIP. */
  providerCode: z.number().int().nullable(),
  message: z.string(),
  /** Null for calls of earlier versions. */
  reason: z
    .enum(failureCodes)
    .meta({ id: 'FailureCode' })
    .nullable()
    .describe(
      'The code of the failure in the failure catalogue (`/docs/failures`, as JSON at `/docs/failures.json`), which says what to do; null for calls of earlier versions.',
    ),
});
export type FailureDetails = z.infer<typeof failureDetails>;

/** In whole seconds. `call` is the time from the answer to the end, or 0 if unanswered. */
export const durations = z.object({
  ring: z.number().int(),
  wait: z.number().int(),
  call: z.number().int(),
  total: z.number().int(),
});

export const callView = z.strictObject({
  callId: z.number().int(),
  tenantRef: z.string(),
  status: z.enum(callStatuses),
  direction: z.enum(callDirections),
  channelId: z.number().int().nullable(),
  channelRef: z.string(),
  channelType: z.enum(channelTypes),
  queueId: z.number().int().nullable(),
  queueRef: z.string().nullable(),
  agentId: z.number().int().nullable(),
  agentRef: z.string().nullable(),
  customer: z.strictObject({
    /** `anonymous` when the caller withheld their number or the carrier does not have it; null after an erasure. */
    address: z.string().nullable(),
    addressType: z.enum(addressTypes),
    addressWithheld: z.boolean(),
    name: z.string().nullable(),
  }),
  externalRef: z.string().nullable(),
  consumerMetadata: z.record(z.string(), z.unknown()).nullable(),
  terminationReason: z.enum(terminationReasons).nullable(),
  terminatedBy: z.enum(terminators).nullable(),
  failureDetails: failureDetails.nullable(),
  mediaPath: z.enum(mediaPaths).nullable(),
  durations,
  createdAt: timestamp,
  ringingAt: timestamp.nullable(),
  queuedAt: timestamp.nullable(),
  answeredAt: timestamp.nullable(),
  endedAt: timestamp.nullable(),
});
export type CallView = z.infer<typeof callView>;

export const participantView = z.strictObject({
  kind: z.enum(participantKinds),
  agentId: z.number().int().nullable(),
  agentRef: z.string().nullable(),
  deviceId: z.string().nullable(),
  listenerName: z.string().nullable(),
  joinedAt: timestamp,
  leftAt: timestamp.nullable(),
  leaveReason: z.enum(leaveReasons).nullable(),
});

/** The quality of the audio received from one side of a call, over the whole leg. `mos` is estimated with the E-model (quality.ts). */
export const legQuality = z
  .strictObject({
    codec: z.string().nullable(),
    receivedPackets: z.number().int(),
    lostPackets: z.number().int(),
    lossPercent: z.number(),
    jitterMs: z.number(),
    roundTripMs: z.number().nullable(),
    mos: z.number(),
  })
  .meta({ id: 'LegQuality' });
export type LegQuality = z.infer<typeof legQuality>;

export const legView = z.strictObject({
  type: z.enum(legTypes),
  agentId: z.number().int().nullable(),
  deviceId: z.string().nullable(),
  state: z.enum(legStates),
  connectedAt: timestamp.nullable(),
  disconnectedAt: timestamp.nullable(),
  quality: legQuality.nullable(),
});

export const lifecycleView = z
  .strictObject({
    type: z.string(),
    agentId: z.number().int().nullable(),
    occurredAt: timestamp,
    durationSeconds: z.number().int().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'LifecycleEntry' });

export const transferView = z.strictObject({
  id: z.number().int(),
  fromAgentId: z.number().int().nullable(),
  toAgentId: z.number().int().nullable(),
  toQueueId: z.number().int().nullable(),
  initiatedByAgentId: z.number().int().nullable(),
  initiatedByType: z.string(),
  transferredAt: timestamp,
  acceptedAt: timestamp.nullable(),
  acceptanceDurationSeconds: z.number().int().nullable(),
});

/** The contents of the two channels of a recording. */
export const channelMap = z.strictObject({ left: z.literal('CUSTOMER'), right: z.literal('AGENT') });
/** An exception: in lowercase (docs/requirements.md#fields). */
export const recordingStates = ['recording', 'processing', 'completed', 'failed'] as const;

export const recordingView = z
  .strictObject({
    id: z.number().int(),
    status: z.enum(recordingStates),
    durationSeconds: z.number().int().nullable(),
    format: z.string(),
    channelMap,
    completedAt: timestamp.nullable(),
    /** Why a failed recording will not arrive. */
    failureReason: z.string().nullable(),
  })
  .meta({ id: 'Recording' });
export type RecordingView = z.infer<typeof recordingView>;

export const ivrSessionView = z
  .strictObject({
    id: z.number().int(),
    ivrFlowId: z.number().int(),
    completed: z.boolean(),
    /** Null until it ends. */
    outcome: z.enum(ivrOutcomes).nullable(),
    /** Null until it ends. */
    durationSeconds: z.number().int().nullable(),
    startedAt: timestamp,
    endedAt: timestamp.nullable(),
    inputs: z.array(z.strictObject({ nodeName: z.string(), input: z.string(), pressedAt: timestamp })),
  })
  .meta({ id: 'IvrSession' });

export const callDetail = z.strictObject({
  call: callView,
  participants: z.array(participantView),
  legs: z.array(legView),
  events: z.array(lifecycleView),
  transfers: z.array(transferView),
  ivrSessions: z.array(ivrSessionView),
  recording: recordingView.nullable(),
});
export type CallDetail = z.infer<typeof callDetail>;
