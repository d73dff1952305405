/** The parts of a small contact centre (centre.ts), and the actions in it. */
import type { QueueStrategy } from '@clarion/protocol';

export const QUEUES = [1, 2] as const;
export const SKILLS: Readonly<Record<number, string[]>> = { 1: ['a', 'b'], 2: ['a'], 3: [], 4: ['b'] };
export const AGENTS = Object.keys(SKILLS).map(Number);

export interface Settings {
  strategies: Record<number, QueueStrategy>;
  wrapUpSeconds: Record<number, number>;
  /** Null: skills are always required. */
  skillsWaitSeconds: number | null;
  /** Null: unlimited. */
  cap: number | null;
  /** The queue that answers callers while they wait; null: neither does. */
  answers: number | null;
}

export type Action =
  | { do: 'call'; queue: number; skills: string[]; answered: boolean }
  | { do: 'shift'; agent: number; on: boolean }
  /** The agent's app connects or disconnects. A push notification can wake every agent. */
  | { do: 'app'; agent: number; connects: boolean }
  | { do: 'accept' | 'decline' | 'hangup' | 'ready'; agent: number }
  | { do: 'connect' | 'fail' | 'cancel' | 'terminate' | 'lost' | 'callback' | 'played'; call: number }
  | { do: 'wait'; ms: number }
  | { do: 'again'; which: number };

export interface SimAgent {
  agentId: number;
  skills: string[];
  priority: number;
  on: boolean;
  held: number | null;
  idleSince: number;
  wrapUpUntil: number | null;
  asleep: boolean;
}
