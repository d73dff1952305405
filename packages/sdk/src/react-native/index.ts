/** The Clarion SDK for agents' apps in React Native: `const device = new Device({ url, getToken, webrtc, storage })`. */
import type { AgentBase } from '../agent/agent.ts';
import { Device, type DeviceOptions } from './device.ts';

/**
 * For an app without push notifications: signs the agent in and resolves with the first session.
 * @throws ClarionError token_failed, connection_failed, or the service's code if it rejects the token
 */
export const connect = (options: DeviceOptions): Promise<AgentBase> => new Device(options).connect();

export { AgentBase as Agent, type AgentEvents } from '../agent/agent.ts';
export { Board, type BoardEvents } from '../agent/board.ts';
export type { AgentsChange, BoardChange } from '../agent/board-model.ts';
export { Call, type CallEvents, type CallState, type TransferTarget } from '../agent/call.ts';
export type { MediaState } from '../agent/call-media.ts';
export { ClarionError, type ClarionErrorCode } from '../agent/errors.ts';
export type { ConnectionState } from '../agent/link.ts';
export {
  Monitor,
  type MonitorEnd,
  type MonitorEvents,
  type MonitorMode,
  type MonitorState,
} from '../agent/monitor.ts';
export type { QualityLevel, QualitySample, QualityWarning } from '../agent/quality.ts';
export type { GetToken } from '../agent/token.ts';
export type { Warning, WarningName } from '../agent/warnings.ts';
export { Device, type DeviceOptions } from './device.ts';
export { CallOverError, type MissedPushPayload, type OverReason, type PushOutcome } from './push-outcome.ts';
export type { AppStorage } from './storage.ts';
export type { PeerConfiguration, WebRtc } from './webrtc.ts';
export type { PushPayload } from '@clarion/protocol/push-payload';
export type {
  AgentCall,
  AgentState,
  BoardAgent,
  BoardAgentState,
  BoardCall,
  Colleague,
  DialLine,
  IceServer,
  QueueCounters,
  TransferQueue,
} from '@clarion/protocol/socket';
