/** Models for the stories and tests: one agent, two lines and a few calls. */
import type {
  PhoneActions,
  PhoneAgent,
  PhoneCall,
  PhoneHistoryEntry,
  PhoneModel,
  PhoneTeam,
} from './model.ts';

export const inboundCall: PhoneCall = {
  id: 1041,
  direction: 'INBOUND',
  customerName: 'Grace Hopper',
  customerAddress: '+14155550123',
  customerWithheld: false,
  channel: 'SIP',
  line: 'Main line',
  queue: 'Sales',
  assignment: 'QUEUE',
  transferredBy: null,
};

export const outboundCall: PhoneCall = {
  id: 1042,
  direction: 'OUTBOUND',
  customerName: null,
  customerAddress: '+442071838750',
  customerWithheld: false,
  channel: 'SIP',
  line: 'Main line',
  queue: null,
  assignment: null,
  transferredBy: null,
};

/** A customer who hides their number is known by a user ID. */
export const whatsAppCall: PhoneCall = {
  ...inboundCall,
  id: 1043,
  customerName: null,
  customerAddress: 'US.13491208655302741918',
  channel: 'WHATSAPP',
  line: 'WhatsApp sales',
};

export const agent: PhoneAgent = {
  name: 'Ada Lovelace',
  availability: 'AVAILABLE',
  shift: 'AVAILABLE',
  doNotDisturb: false,
  wrapUpUntil: null,
};

const MINUTE_MS = 60_000;
const minutesAgo = (minutes: number) => Date.now() - minutes * MINUTE_MS;

/** Newest first. */
export const history: PhoneHistoryEntry[] = [
  { call: { ...whatsAppCall, id: 1044 }, at: minutesAgo(4), talkedSeconds: 96, missed: false, note: '' },
  { call: { ...outboundCall, id: 1040 }, at: minutesAgo(12), talkedSeconds: 0, missed: false, note: '' },
  {
    call: { ...inboundCall, id: 1039 },
    at: minutesAgo(31),
    talkedSeconds: 754,
    missed: false,
    note: 'Wants the invoice again, to accounts@example.com. Called twice already.',
  },
  {
    call: { ...inboundCall, id: 1038, customerName: 'Katherine Johnson', customerAddress: '+12025550143' },
    at: minutesAgo(58),
    talkedSeconds: 0,
    missed: true,
    note: '',
  },
  {
    call: {
      ...inboundCall,
      id: 1037,
      customerName: null,
      customerAddress: null,
      customerWithheld: true,
      queue: null,
    },
    at: minutesAgo(95),
    talkedSeconds: 61,
    missed: false,
    note: '',
  },
];

export const team: PhoneTeam = {
  modes: ['listen', 'whisper', 'barge'],
  monitor: null,
  board: {
    queues: [
      { id: 1, name: 'Sales', waiting: 2, available: 1, onCall: 3, longestWaitingSince: minutesAgo(1.4) },
      { id: 2, name: 'Support', waiting: 0, available: 4, onCall: 0, longestWaitingSince: null },
    ],
    calls: [
      {
        id: 2001,
        customer: 'Margaret Hamilton',
        channel: 'SIP',
        agent: 'Charles Babbage',
        queue: 'Sales',
        state: 'active',
        held: false,
        since: minutesAgo(4.3),
        direction: 'INBOUND',
        listeners: [],
      },
      {
        id: 2002,
        customer: '+44 20 7183 8750',
        channel: 'SIP',
        agent: 'Alan Turing',
        queue: null,
        state: 'active',
        held: true,
        since: minutesAgo(11),
        direction: 'OUTBOUND',
        listeners: ['Ada'],
      },
      {
        id: 2003,
        customer: 'Dorothy Vaughan',
        channel: 'WHATSAPP',
        agent: null,
        queue: 'Sales',
        state: 'waiting',
        held: false,
        since: minutesAgo(1.4),
        direction: 'INBOUND',
        listeners: [],
      },
    ],
  },
};

export const idlePhone: PhoneModel = {
  connection: 'connected',
  connectionError: null,
  agent,
  lines: [
    { ref: 'main', name: 'Main line', address: '+14155550100', channel: 'SIP', personal: false },
    { ref: 'ada', name: 'Ada, direct', address: '+14155550101', channel: 'SIP', personal: true },
    {
      ref: 'whatsapp',
      name: 'WhatsApp sales',
      address: '+14155550102',
      channel: 'WHATSAPP',
      personal: false,
    },
  ],
  history: [],
  note: '',
  team: null,
  view: { at: 'idle' },
  problem: null,
  devices: {
    microphones: [
      { id: 'headset', label: 'Jabra Evolve2 40' },
      { id: 'built-in', label: 'Built-in microphone' },
    ],
    speakers: [
      { id: 'headset-out', label: 'Jabra Evolve2 40' },
      { id: 'built-in-out', label: 'Built-in speakers' },
    ],
    microphoneId: 'headset',
    speakerId: null,
  },
  webPush: { state: 'off', error: null },
  rings: true,
};

export const onCallAgent: PhoneAgent = { ...agent, availability: 'ON_CALL' };

/** Actions that do nothing, with a microphone level of one half. */
export const idleActions: PhoneActions = {
  setAvailability: () => undefined,
  dial: () => undefined,
  answer: () => undefined,
  decline: () => undefined,
  hangUp: () => undefined,
  mute: () => undefined,
  hold: () => undefined,
  sendDigits: () => undefined,
  transfer: () => undefined,
  cancelTransfer: () => undefined,
  transferChoices: () =>
    Promise.resolve({
      colleagues: [
        { id: 1, name: 'Charles Babbage', state: 'free' },
        { id: 2, name: 'Alan Turing', state: 'busy' },
        { id: 3, name: 'Mary Jackson', state: 'away' },
        { id: 4, name: 'Annie Easley', state: 'offline' },
      ],
      queues: [
        { id: 1, name: 'Sales', waiting: 2, available: 1 },
        { id: 2, name: 'Support', waiting: 0, available: 4 },
      ],
    }),
  pauseRecording: () => undefined,
  endWrapUp: () => undefined,
  setDoNotDisturb: () => undefined,
  setNote: () => undefined,
  watchTeam: () => undefined,
  monitor: () => undefined,
  setMonitorMode: () => undefined,
  muteMonitor: () => undefined,
  stopMonitor: () => undefined,
  bringHere: () => undefined,
  dismissEnded: () => undefined,
  resolveProblem: () => undefined,
  reconnect: () => undefined,
  setMicrophone: () => undefined,
  setSpeaker: () => undefined,
  testSpeaker: () => undefined,
  setWebPush: () => undefined,
  watchLevel: (listener) => {
    listener(0.5);
    return Promise.resolve(() => undefined);
  },
};
