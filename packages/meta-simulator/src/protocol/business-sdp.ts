/** Which session descriptions of a business Meta accepts. Pure. */
import { OPUS, parseSdp, payloadTypeOf, type ParsedSdp } from '../media/sdp.ts';
import { FINGERPRINT_SUBCODE, GraphError, invalidParameter } from './errors.ts';

const SHA256_FINGERPRINT = /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/i;
const MIN_UFRAG_CHARS = 4;
const MIN_PASSWORD_CHARS = 22;

const setups = { offer: ['actpass', 'passive'], answer: ['active', 'passive'] } as const;

/** Throws error 100 with what is wrong. */
export function checkBusinessSdp(sdp: string, type: 'offer' | 'answer'): ParsedSdp {
  const parsed = parseSdp(sdp);
  if (parsed === null) throw invalidParameter('session.sdp is not a valid RFC 8866 SDP.');
  if (parsed.audioSections !== 1)
    throw invalidParameter(
      `session.sdp must have exactly one audio media section, not ${parsed.audioSections}.`,
    );
  if (parsed.otherMedia.length > 0)
    throw invalidParameter(`session.sdp must not have media of type ${parsed.otherMedia.join(', ')}.`);
  if ((parsed.ufrag?.length ?? 0) < MIN_UFRAG_CHARS)
    throw invalidParameter('session.sdp has no valid ice-ufrag.');
  if ((parsed.password?.length ?? 0) < MIN_PASSWORD_CHARS)
    throw invalidParameter('session.sdp has no valid ice-pwd.');
  const [fingerprint] = parsed.fingerprints;
  if (!fingerprint) throw invalidParameter('session.sdp has no fingerprint.');
  if (parsed.fingerprints.length > 1 || fingerprint.algorithm !== 'sha-256')
    throw new GraphError(100, 'Fingerprint algo is not SHA256', FINGERPRINT_SUBCODE);
  if (!SHA256_FINGERPRINT.test(fingerprint.value))
    throw invalidParameter('session.sdp has a malformed fingerprint.');
  const allowed: readonly string[] = setups[type];
  if (!allowed.includes(parsed.setup ?? ''))
    throw invalidParameter(`a=setup of an SDP ${type} must be ${allowed.join(' or ')}, not ${parsed.setup}.`);
  if (!parsed.rtcpMux) throw invalidParameter('session.sdp has no a=rtcp-mux.');
  if (payloadTypeOf(parsed, OPUS) === undefined)
    throw invalidParameter('session.sdp does not have the codec opus/48000/2.');
  return parsed;
}
