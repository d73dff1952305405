/**
 * Every request of a page to the Management API carries this header. A form or link of another site cannot set it, and for a script
 * of another site the browser sends a CORS preflight, which is not allowed.
 */
export const SESSION_HEADER = 'x-clarion-dashboard';
