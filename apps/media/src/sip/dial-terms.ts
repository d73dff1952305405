/** What we offer to a trunk. Pure. */
import type { CarrierCodec, TrunkTarget } from '@clarion/protocol/media';
import { lawNamed, type Law } from '../rtp/g711.ts';
import type { MediaTerms } from './agreement.ts';

/**
 * A trunk that encrypts audio gets only encrypted offers. Over TLS the remote party may offer encryption later, in a
 * re-INVITE.
 */
export function dialTerms(
  trunk: Pick<TrunkTarget, 'codecs' | 'srtp' | 'transport'>,
  agentLaw: Law | undefined,
): MediaTerms {
  const srtp = trunk.srtp ? 'required' : trunk.transport === 'TLS' ? 'allowed' : 'never';
  return { codecs: preferAgentLaw(trunk.codecs, agentLaw), srtp };
}

/**
 * Moves the agent's law in front of the other one, in the places that the trunk gives to G.711: if the carrier accepts
 * it, nothing is transcoded.
 */
export function preferAgentLaw(allowed: readonly CarrierCodec[], agentLaw: Law | undefined): CarrierCodec[] {
  const codecs = [...new Set(allowed)];
  const laws = codecs.filter((codec) => lawNamed(codec) !== null);
  laws.sort((a, b) => Number(b === agentLaw) - Number(a === agentLaw));
  return codecs.map((codec) => (lawNamed(codec) === null ? codec : (laws.shift() ?? codec)));
}
