import { withdrawReasons } from '@clarion/protocol/enums';
import { pushPayload, type PushPayload } from '@clarion/protocol/push-payload';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notificationFor, tagOf, type Shown } from './notification.ts';
import { readPush } from './payload.ts';
import { isPageUrl, pageToFocus } from './phone-url.ts';

const at = (second: number) => `2026-01-05T09:00:${String(second).padStart(2, '0')}.000Z`;
const NOW = Date.parse(at(10));
const about = {
  pushId: '0197a3d2-7a51-7c32-8f4b-1d2a3c4b5e6f',
  callId: '981',
  tenantRef: 'north',
  agentRef: 'ada',
  channelRef: 'main',
  callerAddress: '+442079460123',
  callerName: 'Grace Hopper',
  sentAt: at(5),
  expiresAt: at(30),
};
const incoming = { ...about, type: 'call.incoming', assignmentType: 'QUEUE' } satisfies PushPayload;
const missed = { ...about, type: 'call.missed' } satisfies PushPayload;
const withdrawn = (reason: (typeof withdrawReasons)[number], sentAt = at(8)) =>
  ({ ...about, type: 'call.withdrawn', reason, sentAt }) satisfies PushPayload;
const trial = {
  type: 'test',
  pushId: about.pushId,
  tenantRef: 'north',
  agentRef: 'ada',
  sentAt: at(5),
  expiresAt: at(30),
} satisfies PushPayload;

const next = (payload: PushPayload | string, before: Shown | null = null, now = NOW) =>
  notificationFor(readPush(typeof payload === 'string' ? payload : JSON.stringify(payload)), before, now);
/** What the browser returns for a notification that was shown. */
const shown = ({ title, options }: ReturnType<typeof next>): Shown => ({
  title,
  body: options.body ?? '',
  requireInteraction: options.requireInteraction ?? false,
  data: options.data,
});
const text = ({ title, options }: ReturnType<typeof next>) => `${title}: ${options.body}`;

describe('a payload', () => {
  test('of the protocol is understood, whatever it is about', () => {
    const payloads = [incoming, missed, trial, ...withdrawReasons.map((reason) => withdrawn(reason))];
    for (const payload of payloads) {
      expect(pushPayload.parse(payload)).toEqual(payload);
      expect(readPush(JSON.stringify(payload)), payload.type).toMatchObject({ type: payload.type });
    }
  });

  test.each([
    ['nothing', ''],
    ['no JSON', 'hello'],
    ['no object', '"call.incoming"'],
    ['null', 'null'],
    ['another type', JSON.stringify({ ...incoming, type: 'call.exploded' })],
    ['no type', JSON.stringify({ ...incoming, type: undefined })],
    ['a call ID that is none', JSON.stringify({ ...incoming, callId: '../1' })],
    ['a call ID that is a number', JSON.stringify({ ...incoming, callId: 981 })],
    ['no time', JSON.stringify({ ...incoming, sentAt: undefined })],
    ['a time that is none', JSON.stringify({ ...incoming, expiresAt: 'soon' })],
    ['another reason', JSON.stringify({ ...withdrawn('TIMEOUT'), reason: 'BORED' })],
  ])('with %s is not, and still shows something', (_, payload) => {
    expect(readPush(payload)).toBeNull();
    expect(text(next(payload))).toBe('The phone has news: Open the phone to see it.');
  });

  test('never throws, and always leads to a notification that a browser accepts', () => {
    const value = fc.oneof(fc.string(), fc.jsonValue(), fc.constantFrom(...Object.values(incoming)));
    const fields = fc.dictionary(fc.constantFrom(...Object.keys({ ...incoming, reason: '' })), value);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fields.map((some) => JSON.stringify(some)),
        ),
        (payload) => {
          const { title, options } = next(payload);
          expect(title).not.toBe('');
          // Browsers reject a silent notification that vibrates or is announced again, and one without a tag.
          expect(options.silent && options.renotify).toBe(false);
          expect(options.tag).not.toBe('');
        },
      ),
    );
  });

  test('cannot hide the rest of the notification behind a long name or one with line breaks', () => {
    const { options } = next({ ...incoming, callerName: `Eve\n\n\u202e${'x'.repeat(500)}` });
    expect(options.body).toMatch(/^Eve x{96} · \+442079460123$/);
  });
});

describe('an incoming call', () => {
  test('rings until the agent acts, with the caller', () => {
    expect(next(incoming)).toEqual({
      title: 'Incoming call',
      options: {
        body: 'Grace Hopper · +442079460123',
        tag: 'clarion:call:981',
        requireInteraction: true,
        renotify: true,
        silent: false,
        timestamp: Date.parse(at(5)),
        data: { sentAt: Date.parse(at(5)) },
      },
    });
  });

  test.each([
    [{ callerName: undefined }, '+442079460123'],
    [{ callerAddress: undefined }, 'Grace Hopper'],
    [{ callerName: undefined, callerAddress: undefined }, 'Number withheld'],
    [{ callerName: ' ', callerAddress: undefined }, 'Number withheld'],
  ])('of %j shows %s', (change, body) => {
    expect(next({ ...incoming, ...change } as PushPayload).options.body).toBe(body);
  });

  test('that is delivered after the offer has expired is a missed call, without a sound', () => {
    const late = next(incoming, null, Date.parse(at(30)));
    expect(text(late)).toBe('Missed call: Grace Hopper · +442079460123');
    expect(late.options).toMatchObject({ silent: true, requireInteraction: false });
  });

  test.each([
    ['ANSWERED_ELSEWHERE', 'Answered elsewhere'],
    ['TIMEOUT', 'Missed call'],
    ['CANCELLED', 'Missed call'],
    ['DECLINED', 'Call declined'],
  ] as const)('that is withdrawn (%s) is silently replaced: %s', (reason, title) => {
    const after = next(withdrawn(reason), shown(next(incoming)));
    expect(after).toMatchObject({
      title,
      options: { tag: 'clarion:call:981', silent: true, renotify: false, requireInteraction: false },
    });
  });

  test('does not ring if its end was delivered first, but rings again if it is offered again', () => {
    const over = shown(next(withdrawn('TIMEOUT')));
    expect(next(incoming, over)).toMatchObject({ title: 'Missed call', options: { silent: true } });
    expect(next({ ...incoming, sentAt: at(9) }, over)).toMatchObject({
      title: 'Incoming call',
      options: { renotify: true },
    });
  });

  test('keeps ringing if the end of an earlier offer is delivered late, or its own push twice', () => {
    const ringing = shown(next({ ...incoming, sentAt: at(9) }));
    for (const late of [withdrawn('TIMEOUT'), { ...incoming, sentAt: at(9) }])
      expect(next(late, ringing)).toMatchObject({
        title: 'Incoming call',
        options: { requireInteraction: true, silent: true },
      });
  });

  test('of each call has a notification of its own', () => {
    const tags = [incoming, { ...incoming, callId: '982' }, trial].map((payload) =>
      tagOf(readPush(JSON.stringify(payload))),
    );
    expect(new Set([...tags, tagOf(null)]).size).toBe(4);
  });
});

test('a test push says that it is one', () => {
  expect(next(trial)).toMatchObject({ title: 'Test notification', options: { silent: true } });
});

describe('a click', () => {
  const phone = 'https://app.example.com/phone?team=1';
  const page = (url: string) => ({ url });

  test.each([
    [['https://app.example.com/other', phone], phone],
    [['https://app.example.com/phone#/calls'], 'https://app.example.com/phone#/calls'],
    [['https://app.example.com/other'], null],
    [
      ['https://app.example.com/other', 'https://app.example.com/embed/phone/acme'],
      'https://app.example.com/embed/phone/acme',
    ],
    [[], null],
  ])('with %j open focuses %s', (open, focused) => {
    expect(pageToFocus(open.map(page), phone)).toEqual(focused === null ? null : page(focused));
  });

  test('opens pages only', () => {
    expect(['https://a.example/', 'http://localhost:3000/x'].every(isPageUrl)).toBe(true);
    expect(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', ''].some(isPageUrl)).toBe(false);
  });
});
