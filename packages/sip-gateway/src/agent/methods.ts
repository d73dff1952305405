/** How requests outside a dialog are handled, by method. */

/** Passed to an app that has a route for the method. */
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

/** Valid only inside a dialog: 481 outside one. */
export const IN_DIALOG_ONLY = new Set(['BYE', 'UPDATE', 'PRACK']);

/** Known, but not supported outside a dialog: 405. */
export const NOT_ALLOWED = new Set(['REFER']);

/** Methods that an app may send. */
export const SENDABLE = new Set([...ROUTABLE, ...IN_DIALOG_ONLY, ...NOT_ALLOWED, 'ACK', 'CANCEL']);

export const ALLOW =
  'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, MESSAGE, PRACK, UPDATE, REGISTER, SUBSCRIBE, NOTIFY, PUBLISH';

/** Option tags that a request may require; others are rejected with 420 (RFC 3261 §8.2.2.3). */
export const EXTENSIONS = new Set(['100rel', 'timer', 'replaces', 'norefersub', 'from-change']);
