/** An established SIP dialog of a carrier leg: BYE both ways, keys in INFO, re-INVITEs. */
import {
  carrierAnswer,
  parseCarrierSdp,
  SdpError,
  type CarrierSdp,
  type LocalMedia,
} from '../sdp/carrier.ts';
import type { Law } from '../rtp/g711.ts';
import { infoDigit } from './headers.ts';
import type { SipDialog, SipMessage } from './srf.ts';

export interface DialogHandlers {
  local: LocalMedia;
  laws: readonly Law[];
  /** The far end hung up, or the SIP server gave the dialog up (`reason` tells). */
  onBye: (bye: SipMessage, reason: string) => void;
  onDigit: (digit: string) => void;
  /** The far end describes itself anew; the answer has been decided to be an acceptance. */
  onDescription: (remote: CarrierSdp, laws: { law: Law; payloadType: number }[]) => void;
}

/** Laws both allow, in the far end's order. Throws SdpError when there are none. */
export function agreedLaws(remote: CarrierSdp, allowed: readonly Law[]): CarrierSdp['laws'] {
  const laws = remote.laws.filter(({ law }) => allowed.includes(law));
  if (laws.length === 0) throw new SdpError('no codec in common', 488);
  return laws;
}

export function wireDialog(dialog: SipDialog, handlers: DialogHandlers): void {
  let { local } = handlers;
  let description = dialog.local.sdp;
  dialog.on('destroy', (bye, reason) => handlers.onBye(bye, reason));
  dialog.on('info', (req, res) => {
    const digit = infoDigit(req.get('Content-Type'), req.body);
    res.send(200);
    if (digit) handlers.onDigit(digit);
  });
  dialog.on('modify', (req, res) => {
    const headers = { Contact: dialog.local.contact, 'Content-Type': 'application/sdp' };
    if (!req.body) {
      // A re-INVITE without an offer asks for ours (RFC 3264 §5 via RFC 3261 §14.2): it is what it was.
      res.send(200, { headers, body: description });
      return;
    }
    try {
      const remote = parseCarrierSdp(req.body);
      const laws = agreedLaws(remote, handlers.laws);
      local = { ...local, sessionVersion: local.sessionVersion + 1 };
      description = carrierAnswer(local, remote, laws);
      dialog.local.sdp = description;
      handlers.onDescription(remote, laws);
      res.send(200, { headers, body: description });
    } catch (error) {
      if (!(error instanceof SdpError)) throw error;
      res.send(error.status, error.message);
    }
  });
}

/** Presses a key by INFO (`application/dtmf-relay`), for far ends that take no telephone events. */
export async function sendKeyInfo(
  dialog: SipDialog | null,
  digit: string,
  durationMs: number,
): Promise<void> {
  if (!dialog) throw new Error('there is no dialog to send INFO in');
  await dialog.request({
    method: 'INFO',
    headers: { 'Content-Type': 'application/dtmf-relay' },
    body: `Signal=${digit}\r\nDuration=${durationMs}\r\n`,
  });
}

/** Says BYE. It may take 32 s until the far end is known to be gone: nobody waits for that. */
export function endDialog(dialog: SipDialog, headers: Record<string, string> = {}): void {
  dialog.destroy({ headers }, () => undefined);
}
