export { Button, type ButtonProps, type ButtonSize, type ButtonTone } from './actions/Button.tsx';
export { Command } from './command/Command.tsx';
export { ChoiceSelect, type Choice } from './forms/ChoiceSelect.tsx';
export { AgentPhone, type AgentPhoneProps } from './phone/AgentPhone.tsx';
export { describeEnd, type EndWords } from './phone/describe-end.ts';
export type * from './phone/model.ts';
export { classNames } from './shared/class-names.ts';
export { Spinner } from './shared/Spinner.tsx';
export { useNow } from './shared/use-now.ts';
