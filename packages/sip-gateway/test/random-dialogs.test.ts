/** A dialog in which both parties send requests in random order. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonLog } from '../src/log.ts';
import type { App, RemotePhone } from './gateway-fixture.ts';
import { GatewayFixture, SDP, rounds, toTagOf, valueOf } from './gateway-fixture.ts';

/** Longer than an INVITE may remain pending, and than every timer after that. Ms. */
const EVERYTHING_OVER_MS = 200_000;
/** Timer F. Ms. */
const REPEATED_FOR_MS = 32_000;
const RUNS = 100;

const status = fc.constantFrom(200, 488, 0);
const step = fc.oneof(
  fc.record({
    do: fc.constant('phone' as const),
    method: fc.constant('INVITE'),
    offer: fc.boolean(),
    status,
  }),
  fc.record({
    do: fc.constant('phone' as const),
    method: fc.constant('UPDATE'),
    offer: fc.boolean(),
    status,
  }),
  fc.record({
    do: fc.constant('phone' as const),
    method: fc.constant('INFO'),
    offer: fc.constant(false),
    status,
  }),
  fc.record({ do: fc.constant('ack' as const) }),
  fc.record({ do: fc.constant('cancel' as const) }),
  fc.record({ do: fc.constant('repeat' as const) }),
  fc.record({
    do: fc.constant('app' as const),
    method: fc.constantFrom('INVITE', 'UPDATE', 'OPTIONS'),
    status: fc.constantFrom(200, 488, 491, 481, 0),
  }),
  fc.record({ do: fc.constant('phone bye' as const) }),
  fc.record({ do: fc.constant('app bye' as const) }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(10, 700, 5_000, 33_000) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Exchange {
  /** How often the remote phone sent the request. */
  sent: number;
  /** Every final response, as received. */
  finals: string[];
  /** The app received it and never responded. */
  ignored: boolean;
}

/** Both parties of one call, and the responses to the remote phone's requests. */
class Play {
  /** The remote phone's requests except ACK and CANCEL, by CSeq. */
  readonly exchanges = new Map<string, Exchange>();
  readonly #fixture: GatewayFixture;
  readonly #app: App;
  readonly #phone: RemotePhone;
  #toTag = '';
  #dialog = '';
  #cseq = 1;
  #lastInvite = 1;
  #sentAt = 0;
  #again: () => Promise<void> = async () => undefined;

  constructor(fixture: GatewayFixture, app: App, phone: RemotePhone) {
    this.#fixture = fixture;
    this.#app = app;
    this.#phone = phone;
  }

  async begin(extra: readonly string[]): Promise<void> {
    await this.#phone.request('INVITE', { body: SDP, extra: [...extra] });
    const invite = await this.#app.notified('INVITE sip:');
    this.#dialog = (await this.#app.sip(invite.txn, '', `SIP/2.0 200 OK\r\n\r\n${SDP}`)).dialog;
    this.#toTag = toTagOf(await this.#phone.inbox.take('SIP/2.0 200'));
    await this.#phone.request('ACK', { toTag: this.#toTag });
    await this.#app.notified('ACK sip:');
  }

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case 'phone':
        await this.#request(step.method, step.offer ? SDP : '');
        await this.#answer(step.status);
        break;
      case 'ack':
        await this.#phone.request('ACK', { cseq: this.#lastInvite, toTag: this.#toTag });
        break;
      case 'cancel': {
        const branch = `z9hG4bKcall${this.#lastInvite}INVITE${this.#toTag}`;
        await this.#phone.request('CANCEL', { cseq: this.#lastInvite, toTag: this.#toTag, branch });
        break;
      }
      case 'repeat':
        // After that no client retransmits, so the same request would be a new one (RFC 3261 §17.1.2.2).
        if (this.#fixture.clock.now() - this.#sentAt < REPEATED_FOR_MS) await this.#again();
        break;
      case 'app':
        await this.#app.sip(
          '',
          this.#dialog,
          `${step.method} sip:placeholder SIP/2.0\r\n\r\n${step.method === 'OPTIONS' ? '' : SDP}`,
        );
        await this.#farAnswers(step.status);
        break;
      case 'phone bye':
        await this.#request('BYE', '');
        await this.#answer(200);
        break;
      case 'app bye':
        await this.hangUp();
        break;
      case 'pass':
        await this.#fixture.pass(step.ms);
        break;
    }
    await rounds();
    this.collect();
  }

  async hangUp(): Promise<void> {
    await this.#app.sip('', this.#dialog, 'BYE sip:placeholder SIP/2.0\r\n\r\n');
    await this.#farAnswers(200);
  }

  async #request(method: string, body: string): Promise<void> {
    this.#cseq += 1;
    const cseq = this.#cseq;
    if (method === 'INVITE') this.#lastInvite = cseq;
    this.#sentAt = this.#fixture.clock.now();
    const exchange: Exchange = { sent: 0, finals: [], ignored: false };
    this.exchanges.set(`${cseq} ${method}`, exchange);
    this.#again = () => {
      exchange.sent += 1;
      return this.#phone.request(method, { cseq, toTag: this.#toTag, body });
    };
    await this.#again();
    await rounds();
  }

  /** The app responds to a request, or (0) does not. */
  async #answer(code: number): Promise<void> {
    for (const asked of take(this.#app.inbox.rest as string[], /\r\n(?:INVITE|UPDATE|INFO|BYE) sip:/)) {
      const txn = asked.split('|')[8] ?? '';
      if (txn === 'unsolicited') continue;
      if (code === 0) {
        const exchange = this.exchanges.get(valueOf(asked, 'CSeq'));
        if (exchange) exchange.ignored = true;
        continue;
      }
      const body = code === 200 && /\r\nINVITE /.test(asked) ? SDP : '';
      await this.#app.sip(txn, '', `SIP/2.0 ${code} Answer\r\n\r\n${body}`);
    }
  }

  /** The remote phone responds to a request, or (0) does not; the app acknowledges. */
  async #farAnswers(code: number): Promise<void> {
    await rounds();
    for (const request of take(this.#phone.inbox.rest as string[], /^(?:INVITE|UPDATE|OPTIONS|BYE) /)) {
      if (code === 0) continue;
      const invite = request.startsWith('INVITE');
      await this.#phone.answer(request, code, { body: invite && code === 200 ? SDP : '' });
      if (invite) await this.#app.sip('', this.#dialog, 'ACK sip:placeholder SIP/2.0\r\n\r\n');
    }
  }

  collect(): void {
    for (const response of take(this.#phone.inbox.rest as string[], /^SIP\/2\.0 [2-6]/))
      this.exchanges.get(valueOf(response, 'CSeq'))?.finals.push(response);
  }
}

/** Removes and returns the matching items of a list. */
function take(items: string[], pattern: RegExp): string[] {
  const found = items.filter((item) => pattern.test(item));
  items.splice(0, items.length, ...items.filter((item) => !pattern.test(item)));
  return found;
}

/**
 * There is one copy per copy of the request; a response to an INVITE is also repeated until its ACK (RFC 3261
 * §13.3.1.4, §17.2.1).
 */
function expectOneFinal(request: string, { sent, finals, ignored }: Exchange): void {
  const isInvite = request.endsWith('INVITE');
  const different = new Set(finals).size;
  // The server responds in the app's place only to an INVITE: for others a 408 would be too late (RFC 4320 §4.2).
  if (!ignored || isInvite || different > 0)
    expect({ request, different }).toEqual({ request, different: 1 });
  if (!isInvite) expect(finals.length, request).toBeLessThanOrEqual(sent);
}

it(
  'in any order, each request gets one final response, nothing fails and no state remains',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 14 }),
        fc.constantFrom(
          [],
          ['Supported: timer', 'Session-Expires: 90;refresher=uas'],
          ['Supported: timer', 'Session-Expires: 90;refresher=uac', 'Allow: UPDATE'],
        ),
        async (steps, extra) => {
          const errors: string[] = [];
          const fixture = await GatewayFixture.start({ log: jsonLog('error', (line) => errors.push(line)) });
          try {
            const play = new Play(fixture, await fixture.app('invite'), await fixture.remotePhone());
            await play.begin(extra);
            for (const each of steps) await play.run(each);
            await play.hangUp();
            await fixture.pass(EVERYTHING_OVER_MS);
            const { apps, ...load } = fixture.gateway.load;
            expect(apps).toBe(1);
            expect(
              Object.values(load).every((count) => count === 0),
              JSON.stringify(load),
            ).toBe(true);
            expect(errors).toEqual([]);
            play.collect();
            for (const [request, exchange] of play.exchanges) expectOneFinal(request, exchange);
          } finally {
            await fixture.stop();
          }
        },
      ),
      { numRuns: RUNS },
    );
  },
);
