/** The phone inside a frame of another page: for the service's own `/embed/phone/{account}`. */
export { FramePhone } from './FramePhone.tsx';
export type { FrameReply, FrameRequest } from './messages.ts';
