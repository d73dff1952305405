/** What the phone shows in each state. Pure. */
import type { CallView } from '../world/call.ts';

export interface PhoneState {
  readonly connected: boolean;
  readonly business: string;
  /** The live call of the customer. */
  readonly call: CallView | null;
  /** The customer has pressed Call, and the call does not exist yet. */
  readonly placing: boolean;
  readonly permission: string;
}

const buttons = ['call', 'accept', 'decline', 'mute', 'keys', 'hang-up', 'allow', 'stop'] as const;
export type ButtonId = (typeof buttons)[number];

export interface Screen {
  readonly status: string;
  readonly ringing: boolean;
  readonly shown: Readonly<Record<ButtonId, boolean>>;
  readonly permission: string;
}

export function screenOf(state: PhoneState): Screen {
  const { connected, business, permission } = state;
  const mayCall = permission !== 'no_permission';
  const { status, visible } = connected
    ? callScreen(state)
    : { status: 'The simulator does not respond. Is npm start running?', visible: [] };
  const all: readonly ButtonId[] = connected ? [...visible, mayCall ? 'stop' : 'allow'] : [];
  return {
    status,
    ringing: state.call?.state === 'ringing',
    shown: Object.fromEntries(buttons.map((id) => [id, all.includes(id)])) as Record<ButtonId, boolean>,
    permission: connected ? `${business} ${mayCall ? 'may call you.' : 'may not call you.'}` : '',
  };
}

function callScreen({ call, placing }: PhoneState): { status: string; visible: readonly ButtonId[] } {
  if (call === null) {
    return placing ? { status: 'Calling…', visible: [] } : { status: 'Ready', visible: ['call'] };
  }
  switch (call.state) {
    case 'calling':
      return { status: 'Calling…', visible: ['hang-up'] };
    case 'pre_accepted':
      return { status: 'Ringing…', visible: ['hang-up'] };
    case 'connecting':
      return { status: 'Incoming call…', visible: ['decline'] };
    case 'ringing':
      return { status: 'Incoming call', visible: ['decline', 'accept'] };
    case 'accepted':
      return {
        status: call.mediaConnected ? 'In a call' : 'Connecting the audio…',
        visible: ['mute', 'keys', 'hang-up'],
      };
    case 'ended':
      return { status: 'Ready', visible: ['call'] };
  }
}

/** `1:05`, and `1:00:00` after an hour. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value: number): string => String(value).padStart(2, '0');
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
