/** Labels of node types, fields and exits. Anything without a label is shown by its own name. */
import type { IvrNodeType } from '@clarion/protocol/ivr/structure';
import type { Draft } from './draft.ts';

/** The description of each node type in the palette. */
export const purposes: Partial<Record<IvrNodeType, string>> = {
  ivr_menu: 'Plays audio and waits for one key',
  ivr_transfer: 'Sends the caller to a queue or an agent',
  ivr_play: 'Plays audio to the end',
  ivr_gather: 'Collects several digits',
  ivr_hours: 'Routes by opening hours',
  ivr_hangup: 'Ends the call',
};

interface FieldText {
  label: string;
  hint?: string;
  unit?: string;
}

const fieldTexts: Record<string, FieldText> = {
  audioFileId: { label: 'Audio', hint: 'What the caller hears.' },
  timeoutSeconds: { label: 'Key timeout', unit: 'seconds', hint: 'Counted from the end of the audio.' },
  noInputAction: { label: 'If no valid key is pressed' },
  maxReplays: { label: 'Maximum replays', unit: 'times' },
  maxDigits: { label: 'Maximum digits' },
  finishOnKey: { label: 'Key to finish' },
  targetType: { label: 'Send to' },
  targetId: { label: 'Queue or agent' },
  skills: {
    label: 'Required skills',
    hint: 'Separate skills with commas. Members of the queue without these skills are offered the call later.',
  },
  timezone: { label: 'Time zone' },
  hours: { label: 'Open' },
  exceptions: {
    label: 'Exceptions',
    hint: 'These dates replace the regular hours. A date without hours is closed.',
  },
  days: { label: 'Days' },
  from: { label: 'From' },
  to: { label: 'To' },
  date: { label: 'Date' },
};

export const TARGET_LABELS = { queue: 'Queue', agent: 'Agent' } as const;

/** `targetType` → Target type, `MONDAY` → Monday. */
export function labelFromName(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replaceAll('_', ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const fieldText = (field: string): FieldText => fieldTexts[field] ?? { label: labelFromName(field) };

const choiceLabels: Record<string, string> = {
  'noInputAction replay': 'Replay the audio',
  'noInputAction hangup': 'Hang up',
  'noInputAction next': 'Follow the “No key” exit',
  'finishOnKey none': 'None',
  'targetType queue': 'A queue',
  'targetType agent': 'One agent',
};
export const choiceLabel = (field: string, value: string): string =>
  choiceLabels[`${field} ${value}`] ?? (/^[A-Z]+$/.test(value) ? labelFromName(value) : value);

/** The label of an exit of a node. */
export function exitLabel(type: IvrNodeType, exit: string): string {
  if (/^[0-9*#]$/.test(exit)) return `Key ${exit}`;
  if (exit === 'next') return type === 'ivr_menu' ? 'No key' : type === 'ivr_gather' ? 'Digits' : 'Then';
  if (exit === 'timeout') return 'No digits';
  if (exit === 'overflow') return 'No answer';
  return labelFromName(exit);
}

const plain: readonly [RegExp, string][] = [
  [/^must be reachable from the start node$/, 'is unreachable: connect it'],
  [/^must be the ID of an? (queue|agent|audio asset) of the tenant$/, 'is not selected, or no longer exists'],
  [/^must not complete a loop/, 'is part of a loop without audio or key input'],
];

/** Rewrites an error message of the API in the terms of the flow builder. */
export function plainMessage(words: string, type: IvrNodeType | null): string {
  const exit = /^must have an edge for the exit (\S+)$/.exec(words)?.[1];
  if (exit !== undefined && type !== null) return `needs a step after “${exitLabel(type, exit)}”`;
  return plain.find(([pattern]) => pattern.test(words))?.[1] ?? words;
}

export const triggerLabels: Record<Draft['triggerCondition'], { label: string; note: string }> = {
  ALWAYS: { label: 'Every call', note: 'The flow answers every call to its line.' },
  ALL_AGENTS_OFFLINE: {
    label: 'When no agent is on shift',
    note: 'No member of the line’s queue is available or on a call.',
  },
  ALL_AGENTS_BUSY: {
    label: 'When all agents are on a call',
    note: 'All connected members of the line’s queue are on a call.',
  },
};
