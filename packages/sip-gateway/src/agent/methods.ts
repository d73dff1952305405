/** Which methods go where when a request arrives outside a dialog. */

/** Offered to an app that has a route for them. */
export const ROUTABLE = new Set([
  'INVITE',
  'REGISTER',
  'MESSAGE',
  'OPTIONS',
  'INFO',
  'NOTIFY',
  'SUBSCRIBE',
  'PUBLISH',
]);

/** They make sense inside a dialog only: 481 outside one. */
export const IN_DIALOG_ONLY = new Set(['BYE', 'UPDATE', 'PRACK']);

/** Known, but not served outside a dialog: 405. */
export const NOT_ALLOWED = new Set(['REFER']);

/** Methods an app may send. */
export const SENDABLE = new Set([...ROUTABLE, ...IN_DIALOG_ONLY, ...NOT_ALLOWED, 'ACK', 'CANCEL']);

export const ALLOW =
  'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, MESSAGE, PRACK, UPDATE, REGISTER, SUBSCRIBE, NOTIFY, PUBLISH';

/** Option tags a request may require of us; others are refused with 420 (RFC 3261 §8.2.2.3). */
export const EXTENSIONS = new Set(['100rel', 'timer', 'replaces', 'norefersub', 'from-change']);
