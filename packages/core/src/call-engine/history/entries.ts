/** The rows around a call that a step changes: participants, legs, IVR sessions, transfers and the recording. */
import type { HistoryEffect } from '../../call-machine/effects.ts';
import type { HistoryEntry } from '../../call-store/step-document.ts';

type EntryEffect = Extract<
  HistoryEffect,
  { kind: 'join' | 'leave' | 'leg' | 'ivr' | 'transfer' | 'recording' }
>;

export interface EntryFacts {
  /** @throws if the step did not load the agent */
  refOf: (agentId: number) => string;
  /** Decided once, when the recording begins. Media reports the result (core/recording). */
  recording: { storageKey: string; mediaNodeId: string | null };
}

export function entryOf(effect: EntryEffect, facts: EntryFacts): HistoryEntry {
  switch (effect.kind) {
    case 'join':
      return joinOf(effect, facts);
    case 'leave': {
      const { who, reason } = effect;
      return { kind: 'leave', reason, ...(who !== 'ALL' && who) };
    }
    case 'leg': {
      const { leg: type, kind, ...rest } = effect;
      return { kind, type, ...rest };
    }
    case 'ivr':
      return ivrOf(effect);
    case 'transfer':
      return transferOf(effect);
    case 'recording':
      return { kind: 'recording-begin', ...facts.recording };
  }
}

function joinOf(effect: Extract<EntryEffect, { kind: 'join' }>, { refOf }: EntryFacts): HistoryEntry {
  if (effect.who === 'CUSTOMER') return { kind: 'join', participant: 'CUSTOMER' };
  if (effect.who === 'AGENT') {
    const { agentId, deviceId } = effect;
    return { kind: 'join', participant: 'AGENT', agentId, agentRef: refOf(agentId), deviceId };
  }
  const { kind: participant, agentId, name, deviceId, legId } = effect.monitor;
  const who = agentId === null ? { listenerName: name } : { agentId, agentRef: refOf(agentId) };
  return { kind: 'join', participant, ...who, deviceId, legId };
}

function ivrOf(effect: Extract<EntryEffect, { kind: 'ivr' }>): HistoryEntry {
  switch (effect.change) {
    case 'begin':
      return { kind: 'ivr-begin', ivrFlowId: effect.ivrFlowId };
    case 'input':
      return { kind: 'ivr-input', nodeName: effect.nodeName, input: effect.input };
    case 'end':
      return { kind: 'ivr-end', completed: effect.completed, outcome: effect.outcome };
  }
}

function transferOf(effect: Extract<EntryEffect, { kind: 'transfer' }>): HistoryEntry {
  if (effect.change === 'accepted') return { kind: 'transfer-accepted', agentId: effect.agentId };
  const { fromAgentId, to } = effect;
  const target = to.kind === 'agent' ? { toAgentId: to.agentId } : { toQueueId: to.queueId };
  return { kind: 'transfer-begin', fromAgentId, ...target };
}
