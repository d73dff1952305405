/** One line of progress per entry of the journal; null for entries that nobody watches. Pure. */
import type { JournalEntry } from '../world/journal.ts';

export function progressLine(entry: JournalEntry): string | null {
  switch (entry.type) {
    case 'call': {
      const { id, direction, customer, state, endedBy, errorCode } = entry.call;
      const who = direction === 'USER_INITIATED' ? `from ${customer}` : `to ${customer}`;
      const why = state === 'ended' ? ` by ${endedBy}${errorCode === null ? '' : ` (${errorCode})`}` : '';
      return `call ${id.slice(-8)} ${who}: ${state}${why}`;
    }
    case 'digit':
      return `call ${entry.callId.slice(-8)}: the business sent digit ${entry.digit}`;
    case 'violation':
      return `call ${entry.callId.slice(-8)}: the business ${entry.text}`;
    case 'delivery': {
      const { kinds, status, error, attempt } = entry.delivery;
      return `webhook ${kinds.join('+')}: ${status ?? error}${attempt > 1 ? ` (attempt ${attempt})` : ''}`;
    }
    case 'request': {
      const { method, path, action, status, errorCode } = entry;
      return `${method} ${path}${action === null ? '' : ` ${action}`}: ${status}${errorCode === null ? '' : ` (#${errorCode})`}`;
    }
    case 'permission_request':
      return `permission asked of ${entry.customer}: ${entry.text}`;
    case 'permission':
      return `permission of ${entry.customer}: ${entry.status}`;
    case 'reconsider_prompt':
      return `${entry.customer} is asked whether to keep the permission: unanswered calls`;
    case 'webhook': // its delivery has a line
    case 'media': // for the page
      return null;
  }
}
