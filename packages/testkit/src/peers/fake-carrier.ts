/** What a carrier responds outside calls, as a media node reports it. */
import type {
  CarrierReply,
  CheckupFacts,
  OptionsReply,
  RegisterReply,
} from '@clarion/protocol/carrier-requests';
import type { TrunkTarget } from '@clarion/protocol/media';

export interface FakeCarrier {
  ping: (target: TrunkTarget) => OptionsReply | 'sip down';
  /** @param expiresSeconds 0: unregister */
  register: (
    target: TrunkTarget,
    expiresSeconds: number,
  ) => RegisterReply | Promise<RegisterReply> | 'sip down';
  checkup: (target: TrunkTarget) => CheckupFacts | 'sip down';
}

/** A carrier's 200, with changes. */
export const carrierReplyOf = (target: TrunkTarget, more: Partial<CarrierReply> = {}): CarrierReply => ({
  target: `sip:${target.host}:${target.port};transport=${target.transport.toLowerCase()}`,
  address: target.host,
  status: 200,
  reason: 'OK',
  rttMs: 5,
  error: null,
  code: null,
  digest: 'none',
  via: { announced: '127.0.0.1', received: null, rport: null },
  ...more,
});
export const optionsReplyOf = (target: TrunkTarget, more: Partial<OptionsReply> = {}): OptionsReply => ({
  ...carrierReplyOf(target),
  allow: [],
  codecs: null,
  ...more,
});
export const registerReplyOf = (target: TrunkTarget, more: Partial<RegisterReply> = {}): RegisterReply => ({
  ...carrierReplyOf(target),
  expiresSeconds: null,
  minExpiresSeconds: null,
  retryAfterSeconds: null,
  ...more,
});
export const checkupFactsOf = (target: TrunkTarget, more: Partial<CheckupFacts> = {}): CheckupFacts => ({
  at: new Date().toISOString(),
  names: [{ host: target.host, addresses: [target.host], refused: [], srv: null, error: null }],
  connection: null,
  certificate: null,
  options: optionsReplyOf(target),
  registrar: null,
  ...more,
});

/** A carrier that is up and grants every registration. */
export const usualCarrier: FakeCarrier = {
  ping: (target) => optionsReplyOf(target),
  register: (target, expiresSeconds) => registerReplyOf(target, { expiresSeconds }),
  checkup: (target) => checkupFactsOf(target),
};
