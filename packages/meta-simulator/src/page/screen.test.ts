import { expect, test } from 'vitest';
import type { CallState, CallView } from '../world/call.ts';
import { durationText, screenOf, type PhoneState } from './screen.ts';

const idle: PhoneState = {
  connected: true,
  business: 'Harbour',
  call: null,
  placing: false,
  permission: 'permanent',
};
const inCall = (state: CallState, mediaConnected = false): PhoneState => ({
  ...idle,
  call: { id: 'wacid.1', state, mediaConnected } as CallView,
});
const visible = (state: PhoneState): string[] =>
  Object.entries(screenOf(state).shown).flatMap(([id, isShown]) => (isShown ? [id] : []));

test.each([
  [idle, 'Ready', ['call', 'stop']],
  [{ ...idle, placing: true }, 'Calling…', ['stop']],
  [inCall('calling'), 'Calling…', ['hang-up', 'stop']],
  [inCall('pre_accepted'), 'Ringing…', ['hang-up', 'stop']],
  [inCall('connecting'), 'Incoming call…', ['decline', 'stop']],
  [inCall('ringing'), 'Incoming call', ['accept', 'decline', 'stop']],
  [inCall('accepted'), 'Connecting the audio…', ['mute', 'keys', 'hang-up', 'stop']],
  [inCall('accepted', true), 'In a call', ['mute', 'keys', 'hang-up', 'stop']],
  [{ ...idle, permission: 'no_permission' }, 'Ready', ['call', 'allow']],
] as const)('%j: %s', (state, status, buttons) => {
  expect(screenOf(state).status).toBe(status);
  expect(visible(state)).toEqual(buttons);
});

test('only an incoming call rings', () => {
  expect([inCall('ringing'), inCall('calling'), idle].map((state) => screenOf(state).ringing)).toEqual([
    true,
    false,
    false,
  ]);
});

test('without the simulator there is nothing to press, and the reason is shown', () => {
  const lost = { ...inCall('accepted'), connected: false };
  expect(visible(lost)).toEqual([]);
  expect(screenOf(lost).status).toContain('does not respond');
});

test.each([
  [-1, '0:00'],
  [65.9, '1:05'],
  [3600, '1:00:00'],
])('%i s is %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
