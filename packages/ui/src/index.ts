export { Command } from './command/Command.tsx';
export { AgentPhone, type AgentPhoneProps } from './phone/AgentPhone.tsx';
export { describeEnd, type EndWords } from './phone/describe-end.ts';
export type * from './phone/model.ts';
