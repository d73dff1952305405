/** OPTIONS outside a call (RFC 3261 §11): whether a carrier responds, and what it supports. */
import type { OptionsReply } from '@clarion/protocol/carrier-requests';
import type { TrunkTarget } from '@clarion/protocol/media';
import { ALLOW, SUPPORTED } from '../sip/capabilities.ts';
import { bracketed, type CarrierAnswer } from '../sip/carrier-request.ts';
import { escapeUser } from '../sip/headers.ts';
import type { SipResponse } from '../sip/srf.ts';
import type { TrunkRequest } from './trunk-request.ts';
import { parseSdp } from '../sdp/parse-sdp.ts';

/** User part of From for a trunk without a name of its own. */
const FROM_USER = 'ping';
/** The most methods and codecs that are reported. */
const MAX_LISTED = 32;
/** Longer descriptions are not read. */
const MAX_SDP_CHARS = 8_192;

/** Audio codecs with a fixed payload type, which need no `rtpmap` (RFC 3551 §6). */
const STATIC_CODECS: Readonly<Record<number, string>> = {
  0: 'PCMU',
  3: 'GSM',
  8: 'PCMA',
  9: 'G722',
  18: 'G729',
};

export function optionsRequest({
  host,
  port,
  transport,
  useSrv,
  username,
  identity,
}: TrunkTarget): TrunkRequest {
  const at = useSrv ? bracketed(host) : `${bracketed(host)}:${port}`;
  const user = escapeUser(identity.fromUser ?? username ?? FROM_USER);
  const from = `<sip:${user}@${identity.fromDomain ?? 'localhost'}>`;
  return {
    method: 'OPTIONS',
    uri: transport === 'UDP' ? `sip:${at}` : `sip:${at};transport=${transport.toLowerCase()}`,
    headers: {
      From: from,
      Contact: `<sip:${user}@localhost>`,
      Accept: 'application/sdp',
      Allow: ALLOW,
      Supported: SUPPORTED,
    },
  };
}

export function optionsReplyOf({ reply, response }: CarrierAnswer): OptionsReply {
  return {
    ...reply,
    allow: response ? listed(response.get('Allow')) : [],
    codecs: response ? codecsOf(response) : null,
  };
}

const listed = (header: string | undefined): string[] =>
  (header ?? '')
    .split(',')
    .map((value) => value.trim().toUpperCase())
    .filter((value) => /^[A-Z]{1,20}$/.test(value))
    .slice(0, MAX_LISTED);

/** Codecs of the first audio line, without telephone events; null if there is no description that can be read. */
function codecsOf(response: SipResponse): string[] | null {
  const body = response.body ?? '';
  if (!body.startsWith('v=0') || body.length > MAX_SDP_CHARS) return null;
  try {
    const audio = parseSdp(body).media.find(({ type }) => type === 'audio');
    if (!audio) return null;
    const names = new Map(audio.rtp.map(({ payload, codec }) => [payload, codec.toUpperCase()]));
    const codecs = String(audio.payloads ?? '')
      .split(' ')
      .map(Number)
      .map((payload) => names.get(payload) ?? STATIC_CODECS[payload])
      .filter((codec) => codec !== undefined && codec !== 'TELEPHONE-EVENT' && codec !== 'CN');
    return [...new Set(codecs as string[])].slice(0, MAX_LISTED);
  } catch {
    return null;
  }
}
