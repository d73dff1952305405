import { Badge, type Tone } from '@clarion/ui';
import type { Agent } from './resources.ts';

/** The label of an agent's availability. */
export function agentStateLabel({ availability, connected, doNotDisturb }: Agent): {
  tone: Tone;
  label: string;
} {
  if (availability === 'ON_CALL') return { tone: 'accent', label: 'On a call' };
  if (doNotDisturb) return { tone: 'warning', label: 'Do not disturb' };
  if (!connected) return { tone: 'neutral', label: 'Not connected' };
  return availability === 'AVAILABLE'
    ? { tone: 'positive', label: 'Available' }
    : { tone: 'neutral', label: 'Away' };
}

export function AgentState({ agent }: { agent: Agent }) {
  const { tone, label } = agentStateLabel(agent);
  return (
    <Badge tone={tone} dot>
      {label}
    </Badge>
  );
}
