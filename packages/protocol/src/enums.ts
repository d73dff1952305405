/** The enums shared by bodies, rows, sockets and events. Values are uppercase everywhere. */
import { z } from 'zod';

export const callDirections = ['INBOUND', 'OUTBOUND'] as const;
export const callStatuses = ['INITIATED', 'RINGING', 'IN_PROGRESS', 'TERMINATED', 'FAILED'] as const;
export const liveStatuses = ['INITIATED', 'RINGING', 'IN_PROGRESS'] as const;
export const channelTypes = ['WHATSAPP', 'SIP'] as const;
export const addressTypes = ['E164', 'WHATSAPP_USER', 'SIP_URI'] as const;
export const agentRoles = ['AGENT', 'SUPERVISOR'] as const;
/** Roles of dashboard users, from most to least privileged. */
export const staffRoles = ['OWNER', 'ADMIN', 'SUPERVISOR'] as const;
export const consumerStatuses = ['ACTIVE', 'SUSPENDED'] as const;
export const shiftStatuses = ['AVAILABLE', 'OFFLINE'] as const;
export const availabilities = ['AVAILABLE', 'OFFLINE', 'ON_CALL'] as const;
export const queueStrategies = ['ROUND_ROBIN', 'RING_ALL', 'PRIORITY'] as const;
export const assignmentTypes = ['QUEUE', 'DIRECT', 'TRANSFER'] as const;
export const withdrawReasons = ['ANSWERED_ELSEWHERE', 'TIMEOUT', 'CANCELLED', 'DECLINED'] as const;
/**
 * Why a transfer returned. NO_ANSWER: the colleague did not answer. QUEUE_TIMEOUT: no agent of the queue answered in time. AGENT_GONE: the
 * colleague's apps were disconnected, or the colleague was deleted. CANCELLED: by the transferring agent.
 */
export const transferFailures = [
  'DECLINED',
  'NO_ANSWER',
  'CONNECT_FAILED',
  'QUEUE_TIMEOUT',
  'AGENT_GONE',
  'CANCELLED',
] as const;
/** LISTEN: the supervisor hears the agent and the customer. WHISPER: the agent also hears the supervisor. BARGE: so does the customer. */
export const monitoringModes = ['LISTEN', 'WHISPER', 'BARGE'] as const;
export const mediaPaths = ['DIRECT', 'ROOM'] as const;
export const participantKinds = ['CUSTOMER', 'AGENT', 'SUPERVISOR', 'OPERATOR', 'DASHBOARD'] as const;
export const leaveReasons = ['ENDED', 'TRANSFERRED', 'MONITOR_STOPPED'] as const;
/** Why monitoring ended without being stopped. REPLACED: by another device, or because the supervisor now has the call. */
export const monitorEndReasons = ['CALL_ENDED', 'NOT_ALLOWED', 'REPLACED', 'FAILED'] as const;
export const legTypes = ['AGENT', 'CUSTOMER', 'MONITOR'] as const;
export const legStates = ['NEW', 'CONNECTING', 'RINGING', 'CONNECTED', 'DISCONNECTED', 'FAILED'] as const;
/** The push providers; in lowercase because they are part of paths. */
export const pushProviders = ['fcm', 'apns', 'onesignal', 'webpush'] as const;

/** The outcome of a call (docs/requirements.md#call-outcomes). */
export const terminationReasons = [
  'COMPLETED',
  'NO_ANSWER',
  'REJECTED',
  'CANCELLED',
  'BUSY',
  'TIMEOUT',
  'PROVIDER_TRIGGER_FAILED',
  'PROVIDER_ERROR',
  'CREDIT_EXHAUSTED',
  'IVR_AGENT_NO_ANSWER',
  'AGENT_DISCONNECTED',
  'SYSTEM_ERROR',
  'NETWORK_ERROR',
] as const;
export const terminators = ['AGENT', 'CUSTOMER', 'SYSTEM', 'PROVIDER', 'CONSUMER'] as const;
export const ivrFlowStatuses = ['ACTIVE', 'DISABLED'] as const;
export const ivrTriggers = ['ALWAYS', 'ALL_AGENTS_OFFLINE', 'ALL_AGENTS_BUSY'] as const;
/**
 * How an IVR session ended. Completed: QUEUE, AGENT (by a transfer), LINE_QUEUE (the flow ended and the caller moved to the line's queue),
 * HANGUP (an ivr_hangup), END (the flow ended and the line has no queue). Not completed: NO_INPUT (a menu timed out), AGENT_UNAVAILABLE
 * (without an overflow exit), ABANDONED (the caller hung up), TERMINATED (by the consumer), FAILED.
 */
export const ivrOutcomes = [
  'QUEUE',
  'AGENT',
  'LINE_QUEUE',
  'HANGUP',
  'END',
  'NO_INPUT',
  'AGENT_UNAVAILABLE',
  'ABANDONED',
  'TERMINATED',
  'FAILED',
] as const;

export type CallDirection = (typeof callDirections)[number];
export type CallStatus = (typeof callStatuses)[number];
export type ChannelType = (typeof channelTypes)[number];
export type AddressType = (typeof addressTypes)[number];
export type AgentRole = (typeof agentRoles)[number];
export type StaffRole = (typeof staffRoles)[number];
export type ShiftStatus = (typeof shiftStatuses)[number];
export type QueueStrategy = (typeof queueStrategies)[number];
export type AssignmentType = (typeof assignmentTypes)[number];
export type WithdrawReason = (typeof withdrawReasons)[number];
export type IvrOutcome = (typeof ivrOutcomes)[number];
export type IvrTrigger = (typeof ivrTriggers)[number];
export type TransferFailure = (typeof transferFailures)[number];
export type MediaPath = (typeof mediaPaths)[number];
export type MonitoringMode = (typeof monitoringModes)[number];
export type MonitorEndReason = (typeof monitorEndReasons)[number];
export type LeaveReason = (typeof leaveReasons)[number];
export type LegType = (typeof legTypes)[number];
export type LegState = (typeof legStates)[number];
export type TerminationReason = (typeof terminationReasons)[number];
export type PushProvider = (typeof pushProviders)[number];
export type Terminator = (typeof terminators)[number];

/** An enum in a request body: case-insensitive, returned in uppercase; a blank string counts as missing. */
export const enumField = <const T extends readonly [string, ...string[]]>(
  values: T,
): z.ZodType<T[number], T[number]> =>
  z
    .string()
    .transform((text) => text.trim().toUpperCase())
    .pipe(z.enum(values));
