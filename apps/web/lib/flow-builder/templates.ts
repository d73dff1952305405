/** Flow templates. The user selects audio assets, queues and agents; each node shows which are missing. */
import { starterData } from './kinds.ts';
import type { Draft, DraftNode } from './draft.ts';
import type { TemplateName } from './template-names.ts';

type Step = Pick<DraftNode, 'id' | 'type' | 'data'>;
type Way = [source: string, exit: string, target: string];

const start: Step = { id: 'start', type: 'ivr_start', data: {} };
const to = (id: string, label: string, targetType: 'queue' | 'agent' = 'queue', more: object = {}): Step => ({
  id,
  type: 'ivr_transfer',
  data: { label, targetType, ...more },
});
const say = (id: string, label: string): Step => ({ id, type: 'ivr_play', data: { label } });
const bye: Step = { id: 'hangup', type: 'ivr_hangup', data: { label: 'Goodbye' } };
const menu = (label: string): Step => ({ id: 'menu', type: 'ivr_menu', data: { label } });

const shapes: Record<TemplateName, { steps: Step[]; ways: Way[] }> = {
  blank: { steps: [start], ways: [] },
  menu: {
    steps: [start, menu('Main menu'), to('sales', 'Sales'), to('support', 'Support')],
    ways: [
      ['start', 'next', 'menu'],
      ['menu', '1', 'sales'],
      ['menu', '2', 'support'],
    ],
  },
  hours: {
    steps: [
      start,
      { id: 'hours', type: 'ivr_hours', data: { label: 'Are we open?', ...starterData('ivr_hours') } },
      to('team', 'Our team'),
      say('closed', 'We are closed'),
      bye,
    ],
    ways: [
      ['start', 'next', 'hours'],
      ['hours', 'open', 'team'],
      ['hours', 'closed', 'closed'],
      ['closed', 'next', 'hangup'],
    ],
  },
  message: {
    steps: [start, say('message', 'Message'), bye],
    ways: [
      ['start', 'next', 'message'],
      ['message', 'next', 'hangup'],
    ],
  },
  language: {
    steps: [
      start,
      menu('Choose a language'),
      to('english', 'English', 'queue', { skills: ['english'] }),
      to('french', 'French', 'queue', { skills: ['french'] }),
    ],
    ways: [
      ['start', 'next', 'menu'],
      ['menu', '1', 'english'],
      ['menu', '2', 'french'],
    ],
  },
};

export function draftFromTemplate(
  template: TemplateName,
  settings: Pick<Draft, 'name' | 'channelRef' | 'triggerCondition'>,
): Draft {
  const { steps, ways } = shapes[template];
  return {
    ...settings,
    status: 'ACTIVE',
    nodes: steps.map((step) => ({ ...step, position: null, rest: {} })),
    edges: ways.map(([source, exit, target]) => ({ source, exit, target, rest: {} })),
    rest: {},
  };
}
