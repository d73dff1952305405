import type { Meta, StoryObj } from '@storybook/react-vite';
import { AgentPhone } from './AgentPhone.tsx';
import type { PhoneModel, PhoneOutcome, PhoneView } from './model.ts';
import { idleActions, idlePhone, inboundCall, onCallAgent, outboundCall } from './story-models.ts';

const meta: Meta<typeof AgentPhone> = {
  title: 'Agent phone',
  component: AgentPhone,
  args: { actions: idleActions },
  decorators: [
    (Story) => (
      <div style={{ width: 'min(24.5rem, 100vw - 2rem)' }}>
        <Story />
      </div>
    ),
  ],
};
export default meta;

type Story = StoryObj<typeof AgentPhone>;
const story = (change: Partial<PhoneModel>): Story => ({ args: { model: { ...idlePhone, ...change } } });

const SECOND = 1_000;
const ago = (seconds: number) => Date.now() - seconds * SECOND;
const incoming = (change: Partial<PhoneView & { at: 'incoming' }> = {}): PhoneView => ({
  at: 'incoming',
  call: inboundCall,
  ringingSince: ago(7),
  expiresAt: Date.now() + 13 * SECOND,
  more: 0,
  answering: false,
  ...change,
});
const active = (change: Partial<PhoneView & { at: 'active' }> = {}): Partial<PhoneModel> => ({
  agent: onCallAgent,
  view: {
    at: 'active',
    call: inboundCall,
    answeredAt: ago(754),
    muted: false,
    held: false,
    audio: 'here',
    quality: 'good',
    ...change,
  },
});
const ended = (outcome: Partial<PhoneOutcome>, talkedSeconds: number, call = inboundCall): Story =>
  story({
    view: {
      at: 'ended',
      call,
      talkedSeconds,
      outcome: { reason: null, by: null, failure: null, ...outcome },
    },
  });

export const Idle = story({});
export const IdleOneLine = story({ lines: idlePhone.lines.slice(0, 1) });
export const IdleNoLine = story({ lines: [] });
export const IdleAway = story({
  agent: { name: 'Ada Lovelace', availability: 'OFFLINE', shift: 'OFFLINE', doNotDisturb: false },
});
export const IdleDoNotDisturb = story({
  agent: { name: 'Ada Lovelace', availability: 'AVAILABLE', shift: 'AVAILABLE', doNotDisturb: true },
});

export const Connecting = story({ connection: 'connecting', agent: null });
export const Reconnecting = story({ connection: 'reconnecting' });
export const Disconnected = story({ connection: 'disconnected' });
export const Refused = story({
  connection: 'disconnected',
  connectionError: 'Your account is suspended. Ask your administrator.',
});

export const IncomingFromQueue = story({ view: incoming() });
export const IncomingDirect = story({
  view: incoming({ call: { ...inboundCall, assignment: 'DIRECT', queue: null, line: 'Ada, direct' } }),
});
export const IncomingTransfer = story({
  view: incoming({ call: { ...inboundCall, assignment: 'TRANSFER' } }),
});
export const IncomingUnknownCaller = story({
  view: incoming({ call: { ...inboundCall, customerName: null, customerAddress: null } }),
});
export const IncomingNumberOnly = story({ view: incoming({ call: { ...inboundCall, customerName: null } }) });
export const IncomingLongName = story({
  view: incoming({
    call: {
      ...inboundCall,
      customerName:
        'Wolfeschlegelsteinhausenbergerdorff & Partners International Logistics, Accounts Payable',
      queue: 'Enterprise customers with a service contract',
    },
  }),
});
export const IncomingMore = story({ view: incoming({ more: 2 }) });
export const Answering = story({ view: incoming({ answering: true }) });

export const Dialing = story({
  agent: onCallAgent,
  view: { at: 'dialing', call: outboundCall, since: ago(4) },
});

export const Active = story(active());
export const ActiveMuted = story(active({ muted: true }));
export const ActiveHeld = story(active({ held: true }));
export const ActiveFair = story(active({ quality: 'fair' }));
export const ActivePoor = story(active({ quality: 'poor' }));
export const ActiveConnecting = story(
  active({ audio: 'connecting', quality: 'unknown', answeredAt: ago(0) }),
);
export const ActiveAudioLost = story(active({ audio: 'reconnecting' }));
export const ActiveOffline = story({ ...active(), connection: 'reconnecting' });
export const ActiveElsewhere = story(active({ audio: 'elsewhere' }));
export const ActiveLong = story(active({ answeredAt: ago(3723) }));
export const ActiveKeypad: Story = {
  ...story(active()),
  play: async ({ canvas, userEvent }) => {
    await userEvent.click(canvas.getByRole('button', { name: 'Keypad' }));
    for (const key of ['1', '8', '0', 'hash'])
      await userEvent.click(canvas.getByRole('button', { name: key }));
  },
};

export const EndedByYou = ended({ reason: 'COMPLETED', by: 'AGENT' }, 754);
export const EndedByCustomer = ended({ reason: 'COMPLETED', by: 'CUSTOMER' }, 61);
export const EndedNoAnswer = ended({ reason: 'NO_ANSWER', by: 'CUSTOMER' }, 0, outboundCall);
export const EndedBusy = ended({ reason: 'BUSY', by: 'SYSTEM' }, 0, outboundCall);
export const EndedRejected = ended({ reason: 'REJECTED', by: 'CUSTOMER' }, 0, outboundCall);
export const EndedCarrierFailure = ended(
  { reason: 'PROVIDER_ERROR', by: 'PROVIDER', failure: 'The number does not exist.' },
  0,
  outboundCall,
);
export const EndedNetwork = ended({ reason: 'NETWORK_ERROR', by: 'SYSTEM' }, 185);

export const MicrophoneNeeded = story({ problem: { kind: 'microphone-needed' } });
export const MicrophoneBlocked = story({ problem: { kind: 'microphone-blocked' }, view: incoming() });
export const MicrophoneMissing = story({ problem: { kind: 'microphone-missing' } });
export const MicrophoneChanged = story({ ...active(), problem: { kind: 'microphone-changed' } });
export const SoundBlocked = story({ ...active(), problem: { kind: 'sound-blocked' } });
export const Failed = story({
  problem: { kind: 'failed', message: 'The plan does not allow calls to this country.' },
});

const openDevices: NonNullable<Story['play']> = async ({ canvas, userEvent }) => {
  await userEvent.click(canvas.getByRole('button', { name: 'Audio devices' }));
};
export const Devices: Story = { ...story({}), play: openDevices };
export const DevicesUnplugged: Story = {
  ...story({ devices: { ...idlePhone.devices, microphoneId: 'gone' } }),
  play: openDevices,
};
export const DevicesBlocked: Story = {
  args: {
    model: { ...idlePhone, devices: { microphones: [], speakers: [], microphoneId: null, speakerId: null } },
    actions: { ...idleActions, watchLevel: () => Promise.reject(new Error('The microphone is blocked.')) },
  },
  play: openDevices,
};
