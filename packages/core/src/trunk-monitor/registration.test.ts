import { failures } from '@clarion/protocol';
import type { RegisterReply } from '@clarion/protocol/carrier-requests';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EXPIRES_SECONDS,
  presentRegistration,
  startRegistration,
  stepRegistration,
  type RegistrationEvent,
  type RegistrationState,
} from './registration.ts';

const START = Date.parse('2026-01-05T09:00:00Z');

const reply = (more: Partial<RegisterReply>): RegisterReply => ({
  target: 'sip:carrier.example:5060;transport=udp',
  address: '198.41.0.4',
  status: null,
  reason: null,
  rttMs: null,
  error: null,
  code: null,
  digest: 'none',
  via: null,
  expiresSeconds: null,
  minExpiresSeconds: null,
  retryAfterSeconds: null,
  ...more,
});
const grants = (expiresSeconds: number) => reply({ status: 200, expiresSeconds });

/** A registration with a clock. */
class Registration {
  now = START;
  state: RegistrationState = startRegistration(START);
  sent: { destination: number; expiresSeconds: number } | null = null;
  readonly #destinations: number;
  readonly #random: number;

  constructor(destinations = 1, random = 0.5) {
    this.#destinations = destinations;
    this.#random = random;
  }

  apply(event: RegistrationEvent): this {
    const context = { now: this.now, random: this.#random, destinations: this.#destinations };
    const { state, send } = stepRegistration(this.state, event, context);
    this.state = state;
    this.sent = send;
    return this;
  }

  tick = () => this.apply({ type: 'tick' });
  replies = (more: RegisterReply) => this.apply({ type: 'reply', reply: more });
  /** Seconds until the next REGISTER. */
  get dueInSeconds(): number {
    return (this.state.dueAt - this.now) / 1_000;
  }
  after(seconds: number): this {
    this.now += seconds * 1_000;
    return this.tick();
  }
  get shown() {
    return presentRegistration(this.state, new Date(this.now));
  }
}

test('a registration is sent, granted, and refreshed between half and nine tenths of the granted time', () => {
  for (const [random, seconds] of [
    [0, 60],
    [0.5, 84],
    [1, 108],
  ] as const) {
    const one = new Registration(1, random).tick();
    expect(one.sent).toEqual({ destination: 0, expiresSeconds: EXPIRES_SECONDS });
    expect(one.tick().sent).toBeNull();
    one.replies(grants(120));
    expect(one.dueInSeconds).toBe(seconds);
    expect(one.shown).toEqual({
      state: 'REGISTERED',
      status: 200,
      error: null,
      code: null,
      at: '2026-01-05T09:00:00.000Z',
      expiresAt: '2026-01-05T09:02:00.000Z',
      target: 'sip:carrier.example:5060;transport=udp',
    });
    expect(one.after(seconds - 1).sent).toBeNull();
    expect(one.after(1).sent).not.toBeNull();
  }
});

test('a registrar that demands a longer time gets it immediately, and keeps getting it', () => {
  const one = new Registration().tick().replies(reply({ status: 423, minExpiresSeconds: 1_800 }));
  expect(one.tick().sent).toEqual({ destination: 0, expiresSeconds: 1_800 });
  one.replies(grants(1_800));
  expect(one.shown.state).toBe('REGISTERED');
  expect(one.after(1_800).sent).toMatchObject({ expiresSeconds: 1_800 });
});

test.each([null, 60, 1_000_000])(
  'a 423 with Min-Expires %s, which cannot be met, fails',
  (minExpiresSeconds) => {
    const one = new Registration().tick().replies(reply({ status: 423, minExpiresSeconds }));
    expect(one.shown).toMatchObject({ state: 'FAILED', code: 'registration_error' });
    expect(one.dueInSeconds).toBeGreaterThanOrEqual(48);
  },
);

test.each([
  [401, 'registration_rejected'],
  [403, 'registration_rejected'],
  [407, 'registration_rejected'],
  [404, 'registration_not_found'],
  [400, 'registration_error'],
  [302, 'registration_error'],
  [606, 'registration_error'],
] as const)('a %i is %s and is tried again with long, growing pauses', (status, code) => {
  const one = new Registration(3).tick();
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 9; attempt += 1) {
    one.replies(reply({ status }));
    expect(one.shown).toMatchObject({ state: 'FAILED', status, code, error: failures[code].text });
    pauses.push(one.dueInSeconds);
    expect(one.after(one.dueInSeconds).sent).toMatchObject({ destination: 0 });
  }
  expect(pauses).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]);
});

test('a rejection ends a registration immediately', () => {
  const one = new Registration().tick().replies(grants(600));
  one.after(one.dueInSeconds).replies(reply({ status: 403 }));
  expect(one.shown).toMatchObject({ state: 'FAILED', expiresAt: null, target: null });
  expect(one.state.address).toBeNull();
});

test('without a response the other destinations are tried, and then again after a growing pause', () => {
  const one = new Registration(3).tick();
  expect(one.replies(reply({})).tick().sent).toMatchObject({ destination: 1 });
  expect(one.replies(reply({ status: 503 })).tick().sent).toMatchObject({ destination: 2 });
  one.replies(reply({ status: 408 }));
  expect(one.dueInSeconds).toBe(5);
  expect(one.tick().sent).toBeNull();
  expect(one.after(5).sent).toMatchObject({ destination: 0 });
  one.replies(reply({}));
  one.tick().replies(grants(600));
  // Once one has accepted it, it stays there.
  expect(one.after(one.dueInSeconds).sent).toMatchObject({ destination: 1 });
});

test('a refresh that gets no response leaves the trunk registered until the binding expires', () => {
  const one = new Registration().tick().replies(grants(60));
  one.after(one.dueInSeconds).replies(reply({ code: 'registration_no_response' }));
  expect(one.shown).toMatchObject({ state: 'REGISTERED', error: null });
  const left = ((one.state.expiresAt ?? 0) - one.now) / 1_000;
  expect(one.after(left - 1).shown.state).toBe('REGISTERED');
  expect(one.after(1).shown).toMatchObject({
    state: 'FAILED',
    code: 'registration_no_response',
    expiresAt: null,
  });
  expect(one.replies(grants(60)).shown).toMatchObject({ state: 'REGISTERED', code: null });
});

test('Retry-After lengthens a pause, up to an hour', () => {
  for (const [retryAfterSeconds, seconds] of [
    [1, 5],
    [90, 90],
    [86_400, 3_600],
  ] as const) {
    const one = new Registration().tick().replies(reply({ status: 503, retryAfterSeconds }));
    expect(one.dueInSeconds).toBe(seconds);
  }
});

test('when the media node of the contact is gone, the registration is renewed immediately', () => {
  const one = new Registration().tick().replies(grants(600));
  expect(one.apply({ type: 'contact-lost' }).sent).toMatchObject({ destination: 0 });
  one.apply({ type: 'not-sent' });
  expect(one.shown.state).toBe('REGISTERED');
  expect(one.after(5).sent).not.toBeNull();
});

test('a 200 that grants no time is no registration', () => {
  for (const expiresSeconds of [0, null]) {
    const one = new Registration().tick().replies(reply({ status: 200, expiresSeconds }));
    expect(one.shown).toMatchObject({ state: 'FAILED', code: 'registration_error' });
  }
});

describe('whatever happens', () => {
  const event: fc.Arbitrary<{ waitSeconds: number; event: RegistrationEvent }> = fc.record({
    waitSeconds: fc.nat({ max: 4_000 }),
    event: fc.oneof(
      fc.constant<RegistrationEvent>({ type: 'tick' }),
      fc.constant<RegistrationEvent>({ type: 'not-sent' }),
      fc.constant<RegistrationEvent>({ type: 'contact-lost' }),
      fc
        .record({
          status: fc.constantFrom(null, 200, 302, 401, 403, 404, 407, 408, 423, 486, 500, 503, 603),
          expiresSeconds: fc.constantFrom(null, 0, 1, 30, 600, 86_400),
          minExpiresSeconds: fc.constantFrom(null, 0, 60, 1_800, 1_000_000),
          retryAfterSeconds: fc.constantFrom(null, 0, 30, 100_000),
        })
        .map((more): RegistrationEvent => ({ type: 'reply', reply: reply(more) })),
    ),
  });

  test('one REGISTER is in flight, the next one is due within an hour and a quarter, and REGISTERED means a binding', () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (events, destinations, random) => {
          const one = new Registration(destinations, random);
          let open = false;
          for (const { waitSeconds, event: next } of events) {
            one.now += waitSeconds * 1_000;
            // Replies come only for what was sent.
            if ((next.type === 'reply' || next.type === 'not-sent') && !open) one.tick();
            else one.apply(next);
            if (one.sent) {
              expect(open && (next.type === 'tick' || next.type === 'contact-lost')).toBe(false);
              expect(one.sent.destination).toBeLessThan(destinations);
              expect(one.sent.expiresSeconds).toBeGreaterThanOrEqual(EXPIRES_SECONDS);
            }
            open = one.state.inFlight;
            const { phase, expiresAt, dueAt, code } = one.state;
            if (phase === 'registered') {
              expect(expiresAt).toBeGreaterThan(one.now);
              expect(one.state.address).not.toBeNull();
            } else expect(expiresAt).toBeNull();
            if (phase === 'failed') expect(code).not.toBeNull();
            if (!open && one.sent === null) {
              const latest = Math.max(one.now + 3_600_000 * 1.2, expiresAt ?? 0);
              expect(dueAt).toBeLessThanOrEqual(latest);
            }
          }
        },
      ),
    );
  });

  test('a carrier that responds again is registered again', () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 30 }),
        fc.integer({ min: 1, max: 4 }),
        (events, destinations) => {
          const one = new Registration(destinations);
          for (const { waitSeconds, event: next } of events) {
            one.now += waitSeconds * 1_000;
            if ((next.type === 'reply' || next.type === 'not-sent') && !one.state.inFlight) one.tick();
            else one.apply(next);
          }
          if (!one.state.inFlight) one.after(Math.max(0, one.dueInSeconds));
          expect(one.replies(grants(3_600)).shown.state).toBe('REGISTERED');
        },
      ),
    );
  });
});
