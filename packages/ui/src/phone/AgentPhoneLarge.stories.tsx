import type { Meta, StoryObj } from '@storybook/react-vite';
import { AgentPhone } from './AgentPhone.tsx';
import type { PhoneModel } from './model.ts';
import { agent, history, idleActions, idlePhone, inboundCall, onCallAgent, team } from './story-models.ts';

/** The large phone: the call on the left, the lists on the right. On a narrow screen, it has the small layout. */
const meta: Meta<typeof AgentPhone> = {
  title: 'Agent phone, large',
  component: AgentPhone,
  args: { actions: idleActions },
  decorators: [
    (Story) => (
      <div style={{ width: 'min(56rem, 100vw - 2rem)', height: '42rem' }}>
        <Story />
      </div>
    ),
  ],
};
export default meta;

type Story = StoryObj<typeof AgentPhone>;
const SECOND = 1_000;
const story = (change: Partial<PhoneModel>): Story => ({
  args: { model: { ...idlePhone, history, team, ...change } },
});
const talking: Partial<PhoneModel> = {
  agent: onCallAgent,
  view: {
    at: 'active',
    call: inboundCall,
    answeredAt: Date.now() - 754 * SECOND,
    muted: false,
    held: false,
    audio: 'here',
    quality: 'good',
    warnings: [],
    recording: 'ON',
    transfer: null,
    transferFailed: null,
  },
};

export const Idle = story({});
export const Ringing = story({
  view: {
    at: 'incoming',
    call: inboundCall,
    ringingSince: Date.now() - 7 * SECOND,
    expiresAt: Date.now() + 13 * SECOND,
    others: [],
    answering: null,
  },
});
export const Active = story(talking);
export const ActiveTeam: Story = {
  ...story({
    ...talking,
    team: { ...team, monitor: { callId: 2001, mode: 'listen', state: 'active', muted: false } },
  }),
  play: async ({ canvas, userEvent }) => {
    const tabs = canvas.getAllByRole('button', { name: 'Team' });
    if (tabs[0]) await userEvent.click(tabs[0]);
  },
};
export const Transfer: Story = {
  ...story(talking),
  play: async ({ canvas, userEvent }) => {
    await userEvent.click(canvas.getByRole('button', { name: 'Transfer' }));
  },
};
export const WrapUp = story({ agent: { ...agent, wrapUpUntil: Date.now() + 74 * SECOND } });
