/** Entries of the lifecycle log as lines of a ladder. */

export interface LoggedEvent {
  /** `LifecycleType`, or that of an earlier version. */
  type: string;
  at: Date;
  agentId: number | null;
  metadata: Readonly<Record<string, unknown>>;
}

/** What the service did to an agent; in every other entry the agent acts. */
const TOWARDS_AGENT = new Set([
  'OFFERED',
  'PUSHED',
  'MISSED',
  'RINGING',
  'AGENT_LOST',
  'TRANSFERRED',
  'CONNECT_FAILED',
]);

const SENTENCES: Readonly<Record<string, string>> = {
  CREATED: 'Call created',
  STARTED: 'Call started',
  DIALLING: 'Dialling',
  RINGING: 'Ringing',
  QUEUED: 'Entered the queue',
  OVERFLOWED: 'Moved to the overflow queue',
  OFFERED: 'Offered',
  PUSHED: 'Push notification',
  MISSED: 'Offer missed',
  DECLINED: 'Offer declined',
  ACCEPTED: 'Offer accepted',
  CONNECT_FAILED: 'The audio of the agent failed',
  ANSWERED: 'Call answered',
  HELD: 'Customer put on hold',
  UNHELD: 'Customer taken off hold',
  MUTED: 'Microphone muted',
  UNMUTED: 'Microphone unmuted',
  DTMF_SENT: 'Digits sent',
  AGENT_LOST: 'Connection to the app lost',
  AGENT_BACK: 'App reconnected',
  DEVICE_CHANGED: 'Moved to another device',
  LOOKED_UP: 'Customer looked up',
  IVR_STARTED: 'Menu started',
  IVR_ENDED: 'Menu ended',
  CALLBACK_ASKED: 'Callback requested',
  CALLBACK_REFUSED: 'Callback refused',
  TRANSFER_STARTED: 'Transfer started',
  TRANSFER_FAILED: 'Transfer failed',
  TRANSFERRED: 'Call transferred',
  MONITOR_STARTED: 'Monitoring started',
  MONITOR_MODE: 'Monitoring changed',
  MONITOR_STOPPED: 'Monitoring stopped',
  RECORDING_STARTED: 'Recording started',
  RECORDING_PAUSED: 'Recording paused',
  RECORDING_RESUMED: 'Recording resumed',
  ENDED: 'Call ended',
};

export function eventLine(
  { type, metadata }: LoggedEvent,
  agents: ReadonlyMap<number, string>,
): { summary: string; isTowardsAgent: boolean } {
  const sentence = SENTENCES[type] ?? type;
  const details = [
    lowerCase(metadata.mode),
    recipient(metadata.toAgentId, agents),
    typeof metadata.queueRef === 'string' ? metadata.queueRef : null,
    lowerCase(metadata.reason ?? metadata.terminationReason),
  ].filter((detail) => detail !== null);
  return {
    summary: details.length === 0 ? sentence : `${sentence} (${details.join(', ')})`,
    isTowardsAgent: TOWARDS_AGENT.has(type),
  };
}

const lowerCase = (value: unknown): string | null =>
  typeof value === 'string' ? value.toLowerCase().replaceAll('_', ' ') : null;

const recipient = (agentId: unknown, agents: ReadonlyMap<number, string>): string | null =>
  typeof agentId === 'number' ? `to ${agents.get(agentId) ?? `agent ${agentId}`}` : null;
