import { Badge, type Tone } from '@clarion/ui';
import type { Agent } from './resources.ts';

/** The label of an agent's availability. */
export function agentWords({ availability, connected, doNotDisturb }: Agent): { tone: Tone; words: string } {
  if (availability === 'ON_CALL') return { tone: 'accent', words: 'On a call' };
  if (doNotDisturb) return { tone: 'warning', words: 'Do not disturb' };
  if (!connected) return { tone: 'neutral', words: 'Not connected' };
  return availability === 'AVAILABLE'
    ? { tone: 'positive', words: 'Available' }
    : { tone: 'neutral', words: 'Away' };
}

export function AgentState({ agent }: { agent: Agent }) {
  const { tone, words } = agentWords(agent);
  return (
    <Badge tone={tone} dot>
      {words}
    </Badge>
  );
}
