/** What types of nodes, their fields and their exits are called on the page. Whatever has no words here is called by its own name. */
import type { IvrNodeType } from '@clarion/protocol/ivr/structure';
import type { Draft } from './draft.ts';

/** What a type is for, in one sentence of the palette. */
export const purposes: Partial<Record<IvrNodeType, string>> = {
  ivr_menu: 'Plays a sound and asks for one key',
  ivr_transfer: 'Hands the caller to a queue or an agent',
  ivr_play: 'Plays a sound to its end',
  ivr_gather: 'Asks for several digits',
  ivr_hours: 'Goes one way when open, another when closed',
  ivr_hangup: 'Ends the call',
};

interface FieldWords {
  label: string;
  hint?: string;
  unit?: string;
}

const fieldWords: Record<string, FieldWords> = {
  audioFileId: { label: 'Sound', hint: 'What the caller hears.' },
  timeoutSeconds: { label: 'Time for a key', unit: 'seconds', hint: 'Counted from the end of the sound.' },
  noInputAction: { label: 'Without a valid key' },
  maxReplays: { label: 'Play again at most', unit: 'times' },
  maxDigits: { label: 'Digits at most' },
  finishOnKey: { label: 'Key that ends the entry' },
  targetType: { label: 'Hand over to' },
  targetId: { label: 'Queue or agent' },
  skills: {
    label: 'Skills asked for',
    hint: 'Words, separated by commas. Members of the queue without them are offered the call later.',
  },
  timezone: { label: 'Time zone' },
  hours: { label: 'Open' },
  exceptions: { label: 'Other days', hint: 'On these dates their own hours hold. Without hours: closed.' },
  days: { label: 'Days' },
  from: { label: 'From' },
  to: { label: 'To' },
  date: { label: 'Date' },
};

export const TARGET_WORDS = { queue: 'Queue', agent: 'Agent' } as const;

/** `targetType` → Target type, `MONDAY` → Monday. */
export function humane(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replaceAll('_', ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const wordsOf = (field: string): FieldWords => fieldWords[field] ?? { label: humane(field) };

const choiceWords: Record<string, string> = {
  'noInputAction replay': 'Play the sound again',
  'noInputAction hangup': 'Hang up',
  'noInputAction next': 'Go on by “no key”',
  'finishOnKey none': 'None',
  'targetType queue': 'A queue',
  'targetType agent': 'One agent',
};
export const choiceLabel = (field: string, value: string): string =>
  choiceWords[`${field} ${value}`] ?? (/^[A-Z]+$/.test(value) ? humane(value) : value);

/** An exit, by the node it leaves. */
export function exitLabel(type: IvrNodeType, exit: string): string {
  if (/^[0-9*#]$/.test(exit)) return `Key ${exit}`;
  if (exit === 'next') return type === 'ivr_menu' ? 'No key' : type === 'ivr_gather' ? 'Digits' : 'Then';
  if (exit === 'timeout') return 'No digits';
  if (exit === 'overflow') return 'Nobody answers';
  return humane(exit);
}

const plain: readonly [RegExp, string][] = [
  [/^must be reachable from the start node$/, 'is never reached: draw a way to it'],
  [/^must be the ID of an? (queue|agent|audio asset) of the tenant$/, 'is not chosen, or not there any more'],
  [
    /^must not complete a loop/,
    'leads round in a circle in which the caller neither hears nor presses anything',
  ],
];

/** What the check says of a step, without the words of the API: "must …" as whoever draws would say it. */
export function plainComplaint(words: string, type: IvrNodeType | null): string {
  const exit = /^must have an edge for the exit (\S+)$/.exec(words)?.[1];
  if (exit !== undefined && type !== null) return `needs a step after “${exitLabel(type, exit)}”`;
  return plain.find(([pattern]) => pattern.test(words))?.[1] ?? words;
}

export const triggerWords: Record<Draft['triggerCondition'], { label: string; note: string }> = {
  ALWAYS: { label: 'Every call', note: 'The flow takes each call to its line.' },
  ALL_AGENTS_OFFLINE: {
    label: 'When nobody is on shift',
    note: 'No member of the line’s queue is connected and available or on a call.',
  },
  ALL_AGENTS_BUSY: {
    label: 'When everybody is on a call',
    note: 'Members of the line’s queue are there, and each of them is on a call.',
  },
};
