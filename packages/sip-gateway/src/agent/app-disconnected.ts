/** Ends the calls of an app whose control connection was lost. */
import type { App } from '../control/server.ts';
import { cancelInvite, cancelText, failInvite } from './cancel.ts';
import type { Context } from './context.ts';
import { endConfirmed } from './end-dialog.ts';
import { rejectInbound } from './network-requests.ts';

/** The app's media is lost with it, so after a grace period the remote parties are notified too. */
export function onAppDisconnected(context: Context, app: App): void {
  context.clock.after(context.settings.appReconnectGraceMs, () => endCallsOf(context, app));
}

function endCallsOf(context: Context, app: App): void {
  const { tables } = context;
  let ended = 0;
  for (const inbound of [...tables.inbound.values()]) {
    if (inbound.app !== app) continue;
    rejectInbound(context, inbound, 480);
    ended++;
  }
  for (const outbound of [...tables.outbound.values()]) {
    if (outbound.app !== app || outbound.method !== 'INVITE' || outbound.settled) continue;
    ended++;
    if (outbound.transaction === null) failInvite(context, outbound, 487);
    else cancelInvite(context, outbound, true, () => cancelText(outbound, []));
  }
  for (const dialog of [...tables.dialogs()]) {
    if (dialog.owner !== app || dialog.phase !== 'confirmed') continue;
    ended++;
    endConfirmed(context, dialog, 'application lost');
  }
  if (ended > 0) context.log.warn({ app: app.id, ended }, 'calls of a disconnected app ended');
}
