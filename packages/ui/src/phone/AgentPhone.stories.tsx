import type { Meta, StoryObj } from '@storybook/react-vite';
import { useState } from 'react';
import { AgentPhone } from './AgentPhone.tsx';
import type { PhoneModel, PhoneOutcome, PhoneView } from './model.ts';
import {
  agent,
  history,
  idleActions,
  idlePhone,
  inboundCall,
  onCallAgent,
  outboundCall,
  team,
  whatsAppCall,
} from './story-models.ts';

const meta: Meta<typeof AgentPhone> = {
  title: 'Agent phone',
  component: AgentPhone,
  args: { actions: idleActions },
  decorators: [
    (Story) => (
      <div style={{ width: 'min(21.25rem, 100vw - 2rem)', height: '37.5rem' }}>
        <Story />
      </div>
    ),
  ],
};
export default meta;

type Story = StoryObj<typeof AgentPhone>;
const story = (change: Partial<PhoneModel>): { args: { model: PhoneModel } } => ({
  args: { model: { ...idlePhone, ...change } },
});

const SECOND = 1_000;
const ago = (seconds: number) => Date.now() - seconds * SECOND;
const incoming = (change: Partial<PhoneView & { at: 'incoming' }> = {}): PhoneView => ({
  at: 'incoming',
  call: inboundCall,
  ringingSince: ago(7),
  expiresAt: Date.now() + 13 * SECOND,
  others: [],
  answering: null,
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
    warnings: [],
    recording: 'OFF',
    transfer: null,
    transferFailed: null,
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
export const IdleRedial = story({ history });
export const IdleNoLine = story({ lines: [] });
export const IdleAway = story({
  agent: { ...agent, availability: 'OFFLINE', shift: 'OFFLINE' },
});
export const IdleDoNotDisturb = story({
  agent: { ...agent, doNotDisturb: true },
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
  view: incoming({ call: { ...inboundCall, assignment: 'TRANSFER', transferredBy: 'Charles Babbage' } }),
});
export const IncomingUnknownCaller = story({
  view: incoming({
    call: { ...inboundCall, customerName: null, customerAddress: null, customerWithheld: true },
  }),
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
export const IncomingSeveral = story({
  view: incoming({
    others: [
      {
        call: { ...inboundCall, id: 1050, customerName: 'Katherine Johnson', assignment: 'DIRECT' },
        ringingSince: ago(3),
        expiresAt: Date.now() + 22 * SECOND,
      },
      { call: { ...inboundCall, id: 1051, customerName: null }, ringingSince: ago(1), expiresAt: null },
    ],
  }),
});
export const IncomingWhatsApp = story({ view: incoming({ call: whatsAppCall }) });
export const Answering = story({ view: incoming({ answering: inboundCall.id }) });

export const Dialing = story({
  agent: onCallAgent,
  view: { at: 'dialing', call: outboundCall, since: ago(4) },
});

export const Active = story(active());
export const ActiveWhatsApp = story(active({ call: whatsAppCall }));
export const ActiveMuted = story(active({ muted: true }));
export const ActiveHeld = story(active({ held: true }));
export const ActiveFair = story(active({ quality: 'fair' }));
export const ActivePoor = story(active({ quality: 'poor' }));
export const ActiveWarning = story(active({ quality: 'poor', warnings: ['high-jitter', 'low-mos'] }));
export const ActiveRecorded = story(active({ recording: 'ON' }));
export const ActiveRecordingPaused = story(active({ recording: 'PAUSED' }));
export const ActiveTransferring = story(
  active({ transfer: { to: 'Charles Babbage', kind: 'agent', since: ago(6) } }),
);
export const ActiveTransferFailed = story(active({ transferFailed: 'NO_ANSWER' }));
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

const press =
  (name: string): NonNullable<Story['play']> =>
  async ({ canvas, userEvent }) => {
    await userEvent.click(canvas.getByRole('button', { name }));
  };
export const Transfer: Story = { ...story(active()), play: press('Transfer') };
export const TransferSearch: Story = {
  ...story(active()),
  play: async ({ canvas, userEvent }) => {
    await userEvent.click(canvas.getByRole('button', { name: 'Transfer' }));
    await userEvent.type(canvas.getByLabelText('Search colleagues and queues'), 'ch');
  },
};
export const TransferWithoutTargets: Story = {
  args: {
    ...story(active()).args,
    actions: { ...idleActions, transferChoices: () => Promise.resolve({ colleagues: [], queues: [] }) },
  },
  play: press('Transfer'),
};
export const TransferListFailed: Story = {
  args: {
    ...story(active()).args,
    actions: { ...idleActions, transferChoices: () => Promise.reject(new Error('No connection.')) },
  },
  play: press('Transfer'),
};
export const Notes: Story = {
  ...story({ ...active(), note: 'Wants the invoice again.' }),
  play: press('Notes'),
};

export const WrapUp = story({ agent: { ...agent, wrapUpUntil: Date.now() + 74 * SECOND } });
export const Recent: Story = { ...story({ history }), play: press('Recent') };
export const RecentOnACall: Story = { ...story({ ...active(), history, team }), play: press('Recent') };
export const RecentEmpty: Story = { ...story({}), play: press('Recent') };
export const Team: Story = { ...story({ team }), play: press('Team') };
export const TeamQuiet: Story = {
  ...story({ team: { ...team, board: { calls: [], queues: [] } } }),
  play: press('Team'),
};
export const Listening: Story = {
  ...story({
    team: { ...team, monitor: { callId: 2001, mode: 'whisper', state: 'active', muted: false } },
  }),
  play: press('Team'),
};

const bar = (change: Partial<PhoneModel>): Story => ({
  args: { ...story(change).args, minimised: true, onMinimise: () => undefined },
});
export const MinimisedIdle = bar({});
export const MinimisedIncoming = bar({ view: incoming() });
export const MinimisedActive = bar(active());

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
export const EndedWithoutPermission = ended(
  {
    reason: 'PROVIDER_TRIGGER_FAILED',
    by: 'PROVIDER',
    failure: 'The customer has not allowed calls from this number. Ask for the permission first.',
  },
  0,
  { ...whatsAppCall, direction: 'OUTBOUND', queue: null },
);
export const EndedNetwork = ended({ reason: 'NETWORK_ERROR', by: 'SYSTEM' }, 185);

export const MicrophoneNeeded = story({ problem: { kind: 'microphone-needed' } });
export const MicrophoneBlocked = story({ problem: { kind: 'microphone-blocked' }, view: incoming() });
export const MicrophoneMissing = story({ problem: { kind: 'microphone-missing' } });
export const MicrophoneChanged = story({ ...active(), problem: { kind: 'microphone-changed' } });
export const AudioBlocked = story({ ...active(), problem: { kind: 'audio-blocked' } });
export const Failed = story({
  problem: { kind: 'failed', message: 'The plan does not allow calls to this country.' },
});

const openSettings = press('Settings');
export const Settings: Story = { ...story({}), play: openSettings };
export const SettingsUnplugged: Story = {
  ...story({ devices: { ...idlePhone.devices, microphoneId: 'gone' } }),
  play: openSettings,
};
export const SettingsBlocked: Story = {
  args: {
    model: { ...idlePhone, devices: { microphones: [], speakers: [], microphoneId: null, speakerId: null } },
    actions: { ...idleActions, watchLevel: () => Promise.reject(new Error('The microphone is blocked.')) },
  },
  play: openSettings,
};
const ringing = (webPush: PhoneModel['webPush']): Story => ({ ...story({ webPush }), play: openSettings });
export const SettingsRingingOn = ringing({ state: 'on', error: null });
export const SettingsRingingAsking = ringing({ state: 'asking', error: null });
export const SettingsRingingBlocked = ringing({ state: 'blocked', error: null });
export const SettingsRingingFailed = ringing({
  state: 'off',
  error: 'The browser could not subscribe to push notifications.',
});
export const SettingsWithoutRinging = ringing(null);

/** Calls begin and end: “Ring” is a call from a queue. */
export const Operable: Story = { render: () => <OperablePhone /> };

function OperablePhone() {
  const [view, setView] = useState<PhoneView>({ at: 'idle' });
  const end = () => setView({ at: 'idle' });
  const dial = () => setView({ at: 'dialing', call: outboundCall, since: Date.now() });
  return (
    <>
      <AgentPhone
        model={{ ...idlePhone, view }}
        actions={{ ...idleActions, dial, decline: end, hangUp: end }}
      />
      <button type="button" onClick={() => setView(incoming())}>
        Ring
      </button>
    </>
  );
}
