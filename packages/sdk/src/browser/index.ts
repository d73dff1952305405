/** The Clarion SDK for agents in browsers: `const agent = await connect({ url, getToken })`. */
import { Agent } from './agent.ts';
import { browserDeviceId } from './device-id.ts';
import { ClarionError } from './errors.ts';
import { SocketLink } from './socket-link.ts';
import { TabLink } from './tab-link.ts';
import { fetchToken, tokenSubject, type GetToken } from './token.ts';

const SDK = 'clarion-js/0.1.0';
/** The token that identified the agent is also used for the first connection, unless that is made much later. */
const FIRST_TOKEN_MAX_AGE_MS = 5_000;
/** How long `connect` tries to reach the service. Later losses are retried indefinitely. */
export const FIRST_CONNECT_LIMIT_MS = 30_000;

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
  const agent = new Agent({ link, deviceId, scope, playRemoteAudio, microphoneWhileRinging });
  try {
    await firstSession(link);
    // In a later task, so that listeners added right after `await connect(…)` receive all events.
    setTimeout(() => agent.begin());
    return agent;
  } catch (error) {
    agent.disconnect();
    throw error;
  }
}

function firstSession(link: TabLink): Promise<void> {
  return new Promise((resolve, reject) => {
    let last: ClarionError | null = null;
    const timer = setTimeout(
      () =>
        settle(() =>
          reject(last ?? new ClarionError('connection_failed', 'The service could not be reached.')),
        ),
      FIRST_CONNECT_LIMIT_MS,
    );
    const offs = [
      link.on('message', ({ name }) => {
        if (name === 'session') settle(resolve);
      }),
      link.on('connection', (state, error) => {
        last = error ?? last;
        if (state === 'disconnected')
          settle(() => reject(error ?? new ClarionError('disconnected', 'The agent is disconnected.')));
      }),
    ];
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      for (const off of offs) off();
      finish();
    };
  });
}

export { Agent, type AgentEvents } from './agent.ts';
export { AudioDevices, type AudioDevice } from './audio-devices.ts';
export { Board, type BoardEvents } from './board.ts';
export type { AgentsChange, BoardChange } from './board-model.ts';
export { Call, type CallEvents, type CallState, type TransferTarget } from './call.ts';
export type { MediaState } from './call-media.ts';
export { ClarionError, type ClarionErrorCode } from './errors.ts';
export type { ConnectionState } from './link.ts';
export {
  Monitor,
  type MonitorEnd,
  type MonitorEvents,
  type MonitorMode,
  type MonitorState,
} from './monitor.ts';
export type { QualityLevel, QualitySample, QualityWarning } from './quality.ts';
export type { GetToken } from './token.ts';
export type { Warning, WarningName } from './warnings.ts';
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
