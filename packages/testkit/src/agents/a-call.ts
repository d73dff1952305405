import type { AgentCall } from '@clarion/protocol/socket';

/** A ringing inbound call from a queue, with the given fields replaced. */
export const aCall = (change: Partial<AgentCall> = {}): AgentCall => ({
  callId: 1,
  direction: 'INBOUND',
  state: 'incoming',
  assignmentType: 'QUEUE',
  customer: { address: '+14155550123', addressWithheld: false, name: 'Grace Hopper' },
  channel: { ref: 'main', type: 'SIP', address: '+14155550100', displayName: 'Main line' },
  queue: { ref: 'sales', name: 'Sales' },
  externalRef: null,
  consumerMetadata: null,
  deviceId: null,
  muted: false,
  held: false,
  recording: 'OFF',
  transfer: null,
  transferFailed: null,
  transferredBy: null,
  createdAt: '2026-01-01T10:00:00.000Z',
  answeredAt: null,
  endedAt: null,
  terminationReason: null,
  terminatedBy: null,
  failureDetails: null,
  ...change,
});
