/** Requests in an established dialog, with credentials if the remote party challenges them (RFC 3261 §22). */
import { isChallenge, type DigestSession } from './digest.ts';
import type { SendOptions, SipDialog, SipRequest, SipResponse, SrfClient } from './srf.ts';

export interface DialogSender {
  srf: SrfClient;
  /** Null: challenges are not answered. */
  digest: DigestSession | null;
}

/**
 * Sends a request in the dialog. Resolves with the final response of any status; rejects if the SIP server does not
 * send the request.
 *
 * @param onSent called for the request and each repetition
 */
export async function requestInDialog(
  { srf, digest }: DialogSender,
  dialog: Pick<SipDialog, 'id'>,
  { method, headers = {}, body }: SendOptions & { method: string },
  onSent: (sent: SipRequest) => void = () => undefined,
): Promise<SipResponse> {
  const authentication = digest?.attempt() ?? null;
  let authorization: Record<string, string> = {};
  for (;;) {
    const options = {
      uri: 'sip:placeholder',
      method,
      headers: { ...headers, ...authorization },
      ...(body === undefined ? {} : { body }),
      stackDialogId: dialog.id,
    };
    const { sent, response } = await exchange(srf, options, onSent);
    const again =
      authentication && isChallenge(response)
        ? authentication.answer(response, {
            method,
            uri: sent.uri,
            ...(body === undefined ? {} : { body }),
          })
        : null;
    if (!again) return response;
    authorization = again;
  }
}

/** Without drachtio-srf's promise: the response may arrive in the same chunk of the control connection. */
function exchange(
  srf: SrfClient,
  options: Parameters<SrfClient['request']>[0],
  onSent: (sent: SipRequest) => void,
): Promise<{ sent: SipRequest; response: SipResponse }> {
  return new Promise((resolve, reject) => {
    srf.request(options, (error, sent) => {
      if (!sent) return reject(error ?? new Error('the SIP server did not send the message'));
      onSent(sent);
      sent.on('response', (response) => {
        if (response.status >= 200) resolve({ sent, response });
      });
    });
  });
}

/** Sends BYE without waiting: it may take 32 s to detect that the remote party is gone. */
export function endDialog(dialog: SipDialog, sender: DialogSender | null = null): void {
  if (!sender?.digest) {
    dialog.destroy({}, () => undefined);
    return;
  }
  // drachtio-srf's own BYE cannot be repeated with our credentials.
  const removed = () => sender.srf.removeDialog(dialog);
  requestInDialog(sender, dialog, { method: 'BYE' }).then(removed, removed);
}
