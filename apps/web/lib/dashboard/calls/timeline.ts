/** A call's lifecycle log, keys and transfers as a story, in the order in which it happened. Pure. */
import { customerLabel, type Tone } from '@clarion/ui';
import type { Answer } from '../request.ts';
import { outcomeWords } from './outcome-words.ts';
import type { Names } from './use-names.ts';

export type CallDetail = Answer<'GET', '/v1/calls/{callId}'>;
type Entry = CallDetail['events'][number];

export type StoryIcon =
  | 'begin'
  | 'menu'
  | 'key'
  | 'queue'
  | 'ring'
  | 'missed'
  | 'talk'
  | 'hold'
  | 'transfer'
  | 'listen'
  | 'record'
  | 'trouble'
  | 'end';

export interface StoryItem {
  at: string;
  title: string;
  detail?: string;
  tone?: Tone;
  icon: StoryIcon;
}

export type Lookup = Pick<Names, 'agentById' | 'queueById' | 'queueByRef' | 'flowById' | 'lineByRef'>;

export function storyOf(detail: CallDetail, names: Lookup): StoryItem[] {
  const items = detail.events.flatMap((entry) => tell(entry, detail, names) ?? []);
  const keys = detail.ivrSessions.flatMap(({ inputs }) =>
    inputs.map(({ input, pressedAt }): StoryItem => ({
      at: pressedAt,
      title: `Pressed ${[...input].join(' ')}`,
      icon: 'key',
    })),
  );
  // A key comes before what it led to at the same moment.
  return [...keys, ...items].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

const wordsOf = (entry: Entry, name: string): string | null => {
  const value = entry.metadata?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
};
const idOf = (entry: Entry, name: string): number | null => {
  const value = entry.metadata?.[name];
  return typeof value === 'number' ? value : null;
};

/** Null: it is told by something else. Types that come later are shown by their own name. */
function tell(entry: Entry, detail: CallDetail, names: Lookup): StoryItem | null {
  const { type, occurredAt: at, agentId, durationSeconds } = entry;
  const agent = names.agentById(agentId) ?? 'an agent';
  const Agent = names.agentById(agentId) ?? 'An agent';
  const item = (title: string, icon: StoryIcon, more: Partial<StoryItem> = {}): StoryItem => ({
    at,
    title,
    icon,
    ...more,
  });
  switch (type) {
    case 'CREATED':
      return item(begins(detail, names), 'begin');
    case 'LOOKED_UP':
      return item('Your look-up was asked about the caller', 'begin', {
        detail: lookedUp(entry),
      });
    case 'STARTED':
      return item(`${Agent} began to call`, 'begin');
    case 'DIALLING':
      return item(`Dialling ${wordsOf(entry, 'called') ?? 'the customer'}`, 'ring');
    case 'RINGING':
      return item("The customer's phone rings", 'ring');
    case 'IVR_STARTED': {
      const flow = names.flowById(idOf(entry, 'ivrFlowId') ?? 0);
      return item(
        flow === null ? 'The caller hears the menu' : `The caller hears the menu “${flow}”`,
        'menu',
      );
    }
    case 'IVR_ENDED':
      return item('Left the menu', 'menu', { detail: menuEnd(wordsOf(entry, 'outcome')) });
    case 'QUEUED':
      return item(`Waits in ${names.queueByRef(wordsOf(entry, 'queueRef')) ?? 'a queue'}`, 'queue');
    case 'OVERFLOWED':
      return item(
        `Moved on to ${names.queueByRef(wordsOf(entry, 'queueRef')) ?? 'the overflow queue'}`,
        'queue',
        {
          detail: 'Nobody was free in time.',
          tone: 'warning',
        },
      );
    case 'CALLBACK_ASKED':
      return item('The caller asked to be called back', 'queue');
    case 'CALLBACK_REFUSED':
      return item('A call back was not possible', 'queue', { tone: 'warning' });
    case 'OFFERED':
      return item(`Rings at ${agent}`, 'ring');
    case 'MISSED':
      return item(`${Agent} did not answer`, 'missed', { tone: 'warning' });
    case 'DECLINED':
      return item(`${Agent} declined`, 'missed', { tone: 'warning' });
    case 'ACCEPTED':
      return item(`${Agent} picked up`, 'talk', {
        ...(durationSeconds !== null && { detail: `After ${durationSeconds} s of ringing.` }),
      });
    case 'CONNECT_FAILED':
      return item(`No audio with ${agent}`, 'trouble', {
        tone: 'negative',
        ...(wordsOf(entry, 'message') !== null && { detail: wordsOf(entry, 'message') ?? '' }),
      });
    case 'ANSWERED':
      return item(`${Agent} and the customer talk`, 'talk', { tone: 'positive' });
    case 'HELD':
      return item(`${Agent} put the customer on hold`, 'hold');
    case 'UNHELD':
      return item(`${Agent} took the customer off hold`, 'hold');
    case 'MUTED':
      return item(`${Agent} muted the microphone`, 'hold');
    case 'UNMUTED':
      return item(`${Agent} unmuted the microphone`, 'hold');
    case 'DTMF_SENT':
      return item(`${Agent} sent ${idOf(entry, 'count') ?? 'some'} key tones`, 'key');
    case 'AGENT_LOST':
      return item(`The connection to ${agent} was lost`, 'trouble', { tone: 'warning' });
    case 'AGENT_BACK':
      return item(`${Agent} is connected again`, 'trouble');
    case 'DEVICE_CHANGED':
      return item(`${Agent} went on at another device`, 'talk');
    case 'TRANSFER_STARTED':
      return item(`${Agent} transfers to ${targetOf(entry, names)}`, 'transfer');
    case 'TRANSFER_FAILED':
      return item('The transfer came back', 'transfer', {
        tone: 'warning',
        detail: transferFailure(wordsOf(entry, 'reason'), targetOf(entry, names)),
      });
    case 'TRANSFERRED':
      return item(`${Agent} has the call now`, 'transfer', { tone: 'positive' });
    case 'MONITOR_STARTED':
      return item(`${listener(entry, Agent)} listens in`, 'listen');
    case 'MONITOR_MODE':
      return item(`${listener(entry, Agent)} ${modeWords(wordsOf(entry, 'mode'))}`, 'listen');
    case 'MONITOR_STOPPED':
      return item(`${listener(entry, Agent)} stopped listening`, 'listen');
    case 'RECORDING_STARTED':
      return item('The recording begins', 'record');
    case 'RECORDING_PAUSED':
      return item(`${Agent} paused the recording`, 'record');
    case 'RECORDING_RESUMED':
      return item(`${Agent} resumed the recording`, 'record');
    case 'ENDED': {
      const { title, detail: words, tone } = outcomeWords(detail.call);
      const answered = title === 'Answered';
      return item(answered ? 'The call ended' : title, 'end', {
        tone: answered ? 'neutral' : tone,
        ...(words !== null && { detail: words }),
      });
    }
    default:
      return item(sentence(type), 'begin');
  }
}

function begins({ call }: CallDetail, names: Lookup): string {
  const who = customerLabel(call.customer, 'A customer');
  const line = names.lineByRef(call.channelRef);
  return call.direction === 'INBOUND' ? `${who} called ${line}` : `A call to ${who} was made on ${line}`;
}

function lookedUp(entry: Entry): string {
  const name = wordsOf(entry, 'name');
  if (wordsOf(entry, 'result') !== 'ANSWERED')
    return 'It did not answer in time; the call went on without it.';
  return name === null ? 'It answered without a name.' : `It is ${name}.`;
}

function menuEnd(outcome: string | null): string {
  switch (outcome) {
    case 'QUEUE':
      return 'Handed over to a queue.';
    case 'LINE_QUEUE':
      return "On to the line's queue.";
    case 'AGENT':
      return 'Handed over to an agent.';
    case 'HANGUP':
    case 'END':
      return 'The menu ended the call.';
    case 'NO_INPUT':
      return 'No key was pressed.';
    case 'AGENT_UNAVAILABLE':
      return 'The agent could not be reached.';
    case 'ABANDONED':
      return 'The caller hung up.';
    case 'TERMINATED':
      return 'The call was ended.';
    default:
      return 'Something went wrong in it.';
  }
}

function transferFailure(reason: string | null, target: string): string {
  switch (reason) {
    case 'DECLINED':
      return `It was declined by ${target}.`;
    case 'NO_ANSWER':
      return `Nobody answered at ${target}.`;
    case 'QUEUE_TIMEOUT':
      return `Nobody of ${target} took it in time.`;
    case 'CANCELLED':
      return 'It was taken back.';
    default:
      return `${target} could not be reached.`;
  }
}

function targetOf(entry: Entry, names: Lookup): string {
  return (
    names.agentById(idOf(entry, 'toAgentId')) ?? names.queueById(idOf(entry, 'toQueueId')) ?? 'a colleague'
  );
}

const listener = (entry: Entry, agent: string) =>
  wordsOf(entry, 'name') ?? (entry.agentId === null ? 'Somebody' : agent);

function modeWords(mode: string | null): string {
  if (mode === 'WHISPER') return 'whispers to the agent';
  return mode === 'BARGE' ? 'joined the conversation' : 'listens only';
}

const sentence = (type: string) => type.charAt(0) + type.slice(1).toLowerCase().replaceAll('_', ' ');
