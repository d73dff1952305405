/** Models for the stories and tests: one believable agent, two lines, a few calls. */
import type { PhoneActions, PhoneCall, PhoneModel } from './model.ts';

export const inboundCall: PhoneCall = {
  id: 1041,
  direction: 'INBOUND',
  customerName: 'Grace Hopper',
  customerAddress: '+14155550123',
  line: 'Main line',
  queue: 'Sales',
  assignment: 'QUEUE',
};

export const outboundCall: PhoneCall = {
  id: 1042,
  direction: 'OUTBOUND',
  customerName: null,
  customerAddress: '+442071838750',
  line: 'Main line',
  queue: null,
  assignment: null,
};

export const idlePhone: PhoneModel = {
  connection: 'connected',
  connectionError: null,
  agent: { name: 'Ada Lovelace', availability: 'AVAILABLE', shift: 'AVAILABLE', doNotDisturb: false },
  lines: [
    { ref: 'main', name: 'Main line', address: '+14155550100' },
    { ref: 'ada', name: 'Ada, direct', address: '+14155550101' },
  ],
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
  rings: true,
};

export const onCallAgent: NonNullable<PhoneModel['agent']> = {
  name: 'Ada Lovelace',
  availability: 'ON_CALL',
  shift: 'AVAILABLE',
  doNotDisturb: false,
};

/** Does nothing, but lets a microphone be heard at half its loudness. */
export const idleActions: PhoneActions = {
  setAvailability: () => undefined,
  dial: () => undefined,
  answer: () => undefined,
  decline: () => undefined,
  hangUp: () => undefined,
  mute: () => undefined,
  hold: () => undefined,
  sendDigits: () => undefined,
  bringHere: () => undefined,
  dismissEnded: () => undefined,
  resolveProblem: () => undefined,
  reconnect: () => undefined,
  setMicrophone: () => undefined,
  setSpeaker: () => undefined,
  testSpeaker: () => undefined,
  watchLevel: (listener) => {
    listener(0.5);
    return Promise.resolve(() => undefined);
  },
};
