import { expect, test } from 'vitest';
import { minSeSeconds, sessionTimerAnswer, sessionTimerOffer } from './capabilities.ts';

test.each([
  ['1800;refresher=uac', { 'Session-Expires': '1800;refresher=uac', Require: 'timer' }],
  ['90 ; Refresher = UAC', { 'Session-Expires': '90;refresher=uac', Require: 'timer' }],
  ['1800;refresher=uas', { 'Session-Expires': '1800;refresher=uas' }],
  ['1800', { 'Session-Expires': '1800;refresher=uas' }],
  ['soon', {}],
  [undefined, {}],
])('an UPDATE with Session-Expires %s gets a 200 with %j', (header, answer) => {
  expect(sessionTimerAnswer(header)).toEqual(answer);
});

test('we offer a session interval of half an hour, or the minimum that the carrier demands', () => {
  expect(sessionTimerOffer()).toEqual({ 'Session-Expires': '1800;refresher=uas', 'Min-SE': '90' });
  expect(sessionTimerOffer(600)).toEqual({ 'Session-Expires': '1800;refresher=uas', 'Min-SE': '600' });
  expect(sessionTimerOffer(7_200)['Session-Expires']).toBe('7200;refresher=uas');
});

test('an invalid Min-SE is ignored', () => {
  expect([minSeSeconds('120'), minSeSeconds('120;x'), minSeSeconds('x'), minSeSeconds(undefined)]).toEqual([
    120,
    120,
    null,
    null,
  ]);
});
