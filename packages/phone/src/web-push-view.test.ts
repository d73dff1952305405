import { expect, test } from 'vitest';
import { webPushView } from './web-push-view.ts';

const off = { supported: true, available: true, permission: 'default', subscribed: false } as const;
const settled = { asking: false, error: null };

test('the switch is hidden where it could not work', () => {
  expect(webPushView({ ...off, supported: false }, settled)).toBeNull();
  expect(webPushView({ ...off, available: false }, settled)).toBeNull();
});

test.each([
  ['off', off, settled, { state: 'off', error: null }],
  [
    'asking, without the error of the last attempt',
    off,
    { asking: true, error: 'No.' },
    { state: 'asking', error: null },
  ],
  ['on', { ...off, permission: 'granted', subscribed: true }, settled, { state: 'on', error: null }],
  [
    'blocked, which explains itself',
    { ...off, permission: 'denied' },
    { asking: false, error: 'No.' },
    { state: 'blocked', error: null },
  ],
  ['off with the reason', off, { asking: false, error: 'No.' }, { state: 'off', error: 'No.' }],
] as const)('it is %s', (_, push, change, view) => {
  expect(webPushView(push, change)).toEqual(view);
});
