import { callerTitle } from './Caller.tsx';
import { describeEnd } from './describe-end.ts';
import type { PhoneModel } from './model.ts';

/** The screen reader announcement for this model. An unchanged text is not announced again. */
export function announcementFor({ connection, view }: PhoneModel): string {
  if (connection === 'reconnecting') return 'The connection was lost. Reconnecting.';
  if (connection === 'disconnected') return 'You are not connected.';
  switch (view.at) {
    case 'idle':
      return '';
    case 'incoming':
      return [`Incoming call from ${callerTitle(view.call)}`, view.call.queue]
        .filter((part) => part !== null)
        .join(', ');
    case 'dialing':
      return `Calling ${callerTitle(view.call)}`;
    case 'active':
      if (view.audio === 'reconnecting') return 'The audio was lost. Reconnecting.';
      if (view.audio === 'elsewhere') return 'The call is active on another device.';
      if (view.transfer) return `Transferring to ${view.transfer.to}`;
      if (view.held) return 'On hold';
      return view.muted ? 'Muted' : `Talking to ${callerTitle(view.call)}`;
    case 'ended': {
      const { title, detail } = describeEnd(view.outcome, view.call);
      return detail === null ? title : `${title}. ${detail}`;
    }
  }
}
