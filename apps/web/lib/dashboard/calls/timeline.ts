/** The timeline of a call: log entries, pressed keys and transfers in chronological order. Pure. */
import { customerLabel, type Tone } from '@clarion/ui';
import type { Answer } from '../request.ts';
import { pushEntry } from './push-entry.ts';
import { outcomeLabel } from './outcome-labels.ts';
import type { Names } from './use-names.ts';

export type CallDetail = Answer<'GET', '/v1/calls/{callId}'>;
type Entry = CallDetail['events'][number];

export type EntryIcon =
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
  | 'push'
  | 'record'
  | 'trouble'
  | 'end';

export interface TimelineEntry {
  at: string;
  title: string;
  detail?: string;
  tone?: Tone;
  icon: EntryIcon;
}

export type Lookup = Pick<Names, 'agentById' | 'queueById' | 'queueByRef' | 'flowById' | 'lineByRef'>;

export function timelineOf(detail: CallDetail, names: Lookup): TimelineEntry[] {
  const items = detail.events.flatMap((entry) => entryOf(entry, detail, names) ?? []);
  const keys = detail.ivrSessions.flatMap(({ inputs }) =>
    inputs.map(({ input, pressedAt }): TimelineEntry => ({
      at: pressedAt,
      title: `Pressed ${[...input].join(' ')}`,
      icon: 'key',
    })),
  );
  // At the same time, a pressed key comes before its result.
  return [...keys, ...items].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

const textOf = (entry: Entry, name: string): string | null => {
  const value = entry.metadata?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
};
const idOf = (entry: Entry, name: string): number | null => {
  const value = entry.metadata?.[name];
  return typeof value === 'number' ? value : null;
};

/** Null: another entry shows it. Unknown types are shown by name. */
function entryOf(entry: Entry, detail: CallDetail, names: Lookup): TimelineEntry | null {
  const { type, occurredAt: at, agentId, durationSeconds } = entry;
  const agent = names.agentById(agentId) ?? 'an agent';
  const Agent = names.agentById(agentId) ?? 'An agent';
  const item = (title: string, icon: EntryIcon, more: Partial<TimelineEntry> = {}): TimelineEntry => ({
    at,
    title,
    icon,
    ...more,
  });
  switch (type) {
    case 'CREATED':
      return item(begins(detail, names), 'begin');
    case 'LOOKED_UP':
      return item('Caller lookup', 'begin', {
        detail: lookedUp(entry),
      });
    case 'STARTED':
      return item(`${Agent} started the call`, 'begin');
    case 'DIALLING':
      return item(`Dialling ${textOf(entry, 'called') ?? 'the customer'}`, 'ring');
    case 'RINGING':
      return item("The customer's phone rings", 'ring');
    case 'IVR_STARTED': {
      const flow = names.flowById(idOf(entry, 'ivrFlowId') ?? 0);
      return item(flow === null ? 'The IVR flow answered' : `The IVR flow “${flow}” answered`, 'menu');
    }
    case 'IVR_ENDED':
      return item('Left the IVR flow', 'menu', { detail: menuEnd(textOf(entry, 'outcome')) });
    case 'QUEUED':
      return item(`Waiting in ${names.queueByRef(textOf(entry, 'queueRef')) ?? 'a queue'}`, 'queue');
    case 'OVERFLOWED':
      return item(
        `Overflowed to ${names.queueByRef(textOf(entry, 'queueRef')) ?? 'the overflow queue'}`,
        'queue',
        {
          detail: 'No agent answered within the maximum wait.',
          tone: 'warning',
        },
      );
    case 'CALLBACK_ASKED':
      return item('The caller requested a callback', 'queue');
    case 'CALLBACK_REFUSED':
      return item('The callback could not be created', 'queue', { tone: 'warning' });
    case 'OFFERED':
      return item(`Ringing ${agent}`, 'ring');
    case 'MISSED':
      return item(`${Agent} did not answer`, 'missed', { tone: 'warning' });
    case 'DECLINED':
      return item(`${Agent} declined`, 'missed', { tone: 'warning' });
    case 'ACCEPTED':
      return item(`${Agent} answered`, 'talk', {
        ...(durationSeconds !== null && { detail: `After ${durationSeconds} seconds of ringing.` }),
      });
    case 'CONNECT_FAILED':
      return item(`The audio of ${agent} could not be connected`, 'trouble', {
        tone: 'negative',
        ...(textOf(entry, 'message') !== null && { detail: textOf(entry, 'message') ?? '' }),
      });
    case 'ANSWERED':
      return item(`${Agent} and the customer are connected`, 'talk', { tone: 'positive' });
    case 'HELD':
      return item(`${Agent} put the customer on hold`, 'hold');
    case 'UNHELD':
      return item(`${Agent} took the customer off hold`, 'hold');
    case 'MUTED':
      return item(`${Agent} muted the microphone`, 'hold');
    case 'UNMUTED':
      return item(`${Agent} unmuted the microphone`, 'hold');
    case 'DTMF_SENT':
      return item(`${Agent} sent ${idOf(entry, 'count') ?? 'some'} digits`, 'key');
    case 'AGENT_LOST':
      return item(`The connection to ${agent} was lost`, 'trouble', { tone: 'warning' });
    case 'AGENT_BACK':
      return item(`${Agent} reconnected`, 'trouble');
    case 'DEVICE_CHANGED':
      return item(`${Agent} moved the call to another device`, 'talk');
    case 'TRANSFER_STARTED':
      return item(`${Agent} started a transfer to ${targetOf(entry, names)}`, 'transfer');
    case 'TRANSFER_FAILED':
      return item('The transfer returned', 'transfer', {
        tone: 'warning',
        detail: transferFailure(textOf(entry, 'reason'), targetOf(entry, names)),
      });
    case 'TRANSFERRED':
      return item(`${Agent} accepted the transfer`, 'transfer', { tone: 'positive' });
    case 'MONITOR_STARTED':
      return item(`${listener(entry, Agent)} started listening`, 'listen');
    case 'MONITOR_MODE':
      return item(`${listener(entry, Agent)} ${modeText(textOf(entry, 'mode'))}`, 'listen');
    case 'MONITOR_STOPPED':
      return item(`${listener(entry, Agent)} stopped listening`, 'listen');
    case 'RECORDING_STARTED':
      return item('Recording started', 'record');
    case 'RECORDING_PAUSED':
      return item(`${Agent} paused the recording`, 'record');
    case 'RECORDING_RESUMED':
      return item(`${Agent} resumed the recording`, 'record');
    case 'PUSHED': {
      const push = pushEntry(entry.metadata ?? {}, names.agentById(agentId));
      return push && item(push.title, push.failed ? 'trouble' : 'push', push.more);
    }
    case 'ENDED': {
      const { title, detail: words, tone } = outcomeLabel(detail.call);
      const answered = title === 'Answered';
      return item(answered ? 'Call ended' : title, 'end', {
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
  return call.direction === 'INBOUND' ? `${who} called ${line}` : `Outbound call to ${who} from ${line}`;
}

function lookedUp(entry: Entry): string {
  const name = textOf(entry, 'name');
  if (textOf(entry, 'action') === 'reject') return 'Your lookup URL rejected the call.';
  switch (textOf(entry, 'result')) {
    case 'TIMEOUT':
      return 'Your lookup URL did not respond in time. The call continued without it.';
    case 'FAILED':
      return 'Your lookup URL could not be reached or returned an invalid response. The call continued without it.';
  }
  return name === null ? 'Your lookup URL returned no name.' : `Your lookup URL returned the name ${name}.`;
}

function menuEnd(outcome: string | null): string {
  switch (outcome) {
    case 'QUEUE':
      return 'The caller was sent to a queue.';
    case 'LINE_QUEUE':
      return 'The caller was sent to the line’s queue.';
    case 'AGENT':
      return 'The caller was sent to an agent.';
    case 'HANGUP':
    case 'END':
      return 'The IVR flow ended the call.';
    case 'NO_INPUT':
      return 'No key was pressed.';
    case 'AGENT_UNAVAILABLE':
      return 'The agent could not be reached.';
    case 'ABANDONED':
      return 'The caller hung up.';
    case 'TERMINATED':
      return 'The call was ended.';
    default:
      return 'The IVR flow failed.';
  }
}

function transferFailure(reason: string | null, target: string): string {
  switch (reason) {
    case 'DECLINED':
      return `${target} declined it.`;
    case 'NO_ANSWER':
      return `${target} did not answer.`;
    case 'QUEUE_TIMEOUT':
      return `No agent of ${target} answered in time.`;
    case 'CANCELLED':
      return 'It was cancelled.';
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
  textOf(entry, 'name') ?? (entry.agentId === null ? 'A supervisor' : agent);

function modeText(mode: string | null): string {
  if (mode === 'WHISPER') return 'switched to whisper';
  return mode === 'BARGE' ? 'barged in' : 'switched to listen only';
}

const sentence = (type: string) => type.charAt(0) + type.slice(1).toLowerCase().replaceAll('_', ' ');
