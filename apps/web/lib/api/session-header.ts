/**
 * Every request of a page to the Management API carries this header. A form or a link of another site cannot set it, and a script
 * of another site that tries is asked by its browser to get leave first, which nobody gives.
 */
export const SESSION_HEADER = 'x-clarion-dashboard';
