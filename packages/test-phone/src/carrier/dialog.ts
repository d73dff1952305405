/** In-dialog actions of a carrier: re-INVITE, UPDATE, PRACK, forks. Each function resolves when its step is complete. */
import { RtpPort } from '../rtp/port.ts';
import { token, type RequestOptions, type SipCall } from '../sip/call.ts';
import {
  header,
  isRequest,
  isResponse,
  parameter,
  uriOf,
  type SipRequest,
  type SipResponse,
} from '../sip/message.ts';
import { retransmitting } from '../sip/transactions.ts';
import { carrierSdp, type SdpChanges } from './sdp.ts';

const SDP = 'application/sdp';

/** A re-INVITE (RFC 3261, section 14.1) with an offer. */
export function reinvite(call: SipCall, changes: SdpChanges = {}, more: RequestOptions = {}) {
  return call.request('INVITE', { body: carrierSdp(call, changes), contentType: SDP, ...more });
}

/** A re-INVITE without an offer: the ACK contains the answer to the remote offer (RFC 3264, section 5). Resolves with the remote 200. */
export async function offerlessReinvite(call: SipCall, changes: SdpChanges = {}): Promise<SipResponse> {
  const before = call.acknowledging;
  call.acknowledging = () => ({ body: carrierSdp(call, changes), contentType: SDP });
  try {
    return await call.request('INVITE');
  } finally {
    call.acknowledging = before;
  }
}

/** UPDATE (RFC 3311). Without `changes` it only refreshes the session. */
export async function update(call: SipCall, changes: SdpChanges | null = null): Promise<SipResponse> {
  const body = changes && carrierSdp(call, changes);
  const response = await call.request('UPDATE', body ? { body, contentType: SDP } : {});
  if (body && response.status < 300) call.takeSdp(response.body);
  return response;
}

/** Moves the audio of this call to another port, on which its tone continues. The old port stays open until the phone closes. */
export async function moveAudio(call: SipCall, hz: number): Promise<RtpPort> {
  const old = call.audio;
  const audio = await RtpPort.open({ address: old.address, law: old.law });
  audio.remote = old.remote;
  call.audio = audio;
  audio.sendTone(hz);
  return old;
}

/** Sends PRACK for each reliable provisional response, as a phone that supports 100rel must (RFC 3262, section 4). */
export function acknowledgeProvisionals(call: SipCall): void {
  const seen = new Set<string>();
  call.on('message', (message) => {
    if (!isResponse(message) || message.status <= 100 || message.status >= 200) return;
    const sequence = header(message, 'rseq');
    if (sequence === '' || seen.has(sequence)) return;
    seen.add(sequence);
    call.remoteTag = parameter(header(message, 'to'), 'tag') ?? '';
    call.remoteTarget = uriOf(header(message, 'contact'));
    void call
      .request('PRACK', { headers: [['RAck', `${sequence} ${header(message, 'cseq')}`]] })
      .then(({ status }) => call.note(`PRACK ${status}`));
  });
}

/** Sends a reliable provisional response, repeated until the PRACK, which gets a 200 (RFC 3262, section 3). */
export async function reliably(
  call: SipCall,
  status: number,
  reason: string,
  rseq: number,
  sdp = '',
): Promise<SipRequest> {
  const headers: [string, string][] = [
    ['Require', '100rel'],
    ['RSeq', String(rseq)],
  ];
  const isOurs = (request: SipRequest) =>
    request.method === 'PRACK' && header(request, 'rack').startsWith(`${rseq} `);
  const send = () => call.progress(status, reason, { headers, ...(sdp === '' ? {} : { sdp }) });
  const stop = retransmitting(send, false, (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  });
  return requestOf(call, isOurs, 'the PRACK').finally(stop);
}

/** The first matching remote request, past or future. */
export async function requestOf(
  call: SipCall,
  fits: (request: SipRequest) => boolean,
  what: string,
): Promise<SipRequest> {
  const find = () => call.received.find((each): each is SipRequest => isRequest(each) && fits(each));
  await call.until(() => find() !== undefined, what);
  return find() as SipRequest;
}

export const countOf = (call: SipCall, method: string): number =>
  call.received.filter((each) => each.method === method).length;

/** The 2xx response to the INVITE of a call that this phone placed. */
export const answerOf = (call: SipCall): SipResponse | undefined =>
  call.received.find(
    (each): each is SipResponse => isResponse(each) && each.status >= 200 && each.status < 300,
  );

/** Another branch of a forked INVITE (RFC 3261, section 16.7), with its own To tag, audio and requests. */
export class Fork {
  readonly call: SipCall;
  readonly tag = token();
  readonly audio: RtpPort;
  readonly methods: string[] = [];

  private constructor(call: SipCall, audio: RtpPort) {
    this.call = call;
    this.audio = audio;
    const before = call.onRequest;
    call.onRequest = (request) => {
      if (parameter(header(request, 'to'), 'tag') !== this.tag) return before?.(request) ?? false;
      this.methods.push(request.method);
      if (request.method !== 'ACK') call.respond(request, 200, 'OK');
      call.emit('change');
      return true;
    };
  }

  static async of(call: SipCall): Promise<Fork> {
    return new Fork(call, await RtpPort.open({ address: call.audio.address, law: call.audio.law }));
  }

  sdp(): string {
    return carrierSdp(this.call, { port: this.audio.port });
  }

  respond(status: number, reason: string, sdp = ''): void {
    this.call.respond(this.call.invite, status, reason, {
      toTag: this.tag,
      ...(sdp === '' ? {} : { sdp }),
    });
  }
}
