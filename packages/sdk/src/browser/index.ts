/** The Clarion SDK for agents in browsers: `const agent = await connect({ url, getToken })`. */
import { nextSession } from '../agent/next-session.ts';
import { SocketLink } from '../agent/socket-link.ts';
import { fetchToken, tokenSubject, type GetToken } from '../agent/token.ts';
import { Agent } from './browser-agent.ts';
import { browserPlatform } from './browser-platform.ts';
import { browserDeviceId } from './device-id.ts';
import { TabLink } from './tab-link.ts';

const SDK = 'clarion-js/0.1.0';
/** The token that identified the agent is also used for the first connection, unless that is made much later. */
const FIRST_TOKEN_MAX_AGE_MS = 5_000;

export interface ConnectOptions {
  /** The service's base URL. */
  url: string;
  /** Fetches a fresh agent token from your backend. Called before every connection. */
  getToken: GetToken;
  /** By default an ID stored in localStorage, shared by all tabs of the browser. */
  deviceId?: string;
  /** Whether the SDK plays the customer's audio. By default it does, unless you listen for `remoteStream`. */
  playRemoteAudio?: boolean;
  /**
   * Whether the microphone is opened while a call rings in the visible tab, if the page already has the permission: the customer then
   * hears the agent earlier, but the browser shows the microphone as in use before the agent has answered. Default: true.
   */
  microphoneWhileRinging?: boolean;
}

/**
 * Signs the agent in on this device and resolves with the first session.
 * @throws ClarionError token_failed, connection_failed, or the service's code if it rejects the token
 */
export async function connect(options: ConnectOptions): Promise<Agent> {
  const { url, getToken, deviceId = browserDeviceId() } = options;
  const { playRemoteAudio = null, microphoneWhileRinging = true } = options;
  const firstToken = await fetchToken(getToken);
  const fetchedAt = Date.now();
  let used = false;
  const freshToken = () => {
    if (used || Date.now() - fetchedAt > FIRST_TOKEN_MAX_AGE_MS) return getToken();
    used = true;
    return firstToken;
  };
  const subject = tokenSubject(firstToken);
  const scope = subject && JSON.stringify([url, subject, deviceId]);
  const link = new TabLink(scope, () => new SocketLink({ url, getToken: freshToken, deviceId, sdk: SDK }));
  const platform = browserPlatform(scope, deviceId);
  const agent = new Agent({ link, deviceId, platform, playRemoteAudio, microphoneWhileRinging });
  try {
    await nextSession(link);
    // In a later task, so that listeners added right after `await connect(…)` receive all events.
    setTimeout(() => agent.begin());
    return agent;
  } catch (error) {
    agent.disconnect();
    throw error;
  }
}

export type { AgentEvents } from '../agent/agent.ts';
export { AudioDevices } from './audio-devices.ts';
export { Board, type BoardEvents } from '../agent/board.ts';
export type { AgentsChange, BoardChange } from '../agent/board-model.ts';
export { Call, type CallEvents, type CallState, type TransferTarget } from '../agent/call.ts';
export type { MediaState } from '../agent/call-media.ts';
export { ClarionError, type ClarionErrorCode } from '../agent/errors.ts';
export { Agent } from './browser-agent.ts';
export type { ConnectionState } from '../agent/link.ts';
export type { AudioDevice } from '../agent/platform.ts';
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
export { WebPush, type WebPushEvents, type WebPushOptions } from './web-push.ts';
export { watch, Watcher, type WatcherEvents, type WatchOptions } from './watch.ts';
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
