/** A ringing call as the service describes it, for tests. */
import type { AgentCall } from '@clarion/sdk';

export const callInfo: AgentCall = {
  callId: 5,
  direction: 'INBOUND',
  state: 'incoming',
  assignmentType: 'QUEUE',
  customer: { address: '+14155550123', name: 'Grace' },
  channel: { ref: 'main', type: 'SIP', address: '+14155550100', displayName: null },
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
};
