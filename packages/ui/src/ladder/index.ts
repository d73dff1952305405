export { SipLadder, type SipLadderProps } from './SipLadder.tsx';
export type { LadderEntry, LadderEntryKind, LadderParticipant, LadderParticipantKind } from './model.ts';
