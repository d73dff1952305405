/** Options of the rules for tech prefixes: forwarding rules and call filters. */
import { InvalidArgumentError, Option } from 'commander';
import { wholeNumber } from './options.ts';

export const matching = (pattern: RegExp, rule: string) => (text: string) => {
  if (!pattern.test(text)) throw new InvalidArgumentError(`must be ${rule}.`);
  return text;
};

export const trunkId = () => new Option('--trunk-id <id>', 'ID of the trunk').argParser(wholeNumber);

export const ruleId = () =>
  new Option('--id <id>', 'ID of the rule').argParser(wholeNumber).makeOptionMandatory();

export const prefix = () =>
  new Option('--prefix <prefix>', 'tech prefix of the trunk; default: any').argParser(
    matching(/^[\d#*]{1,16}$/, '1 to 16 digits, # or *'),
  );

/** As long as what may follow a tech prefix (docs/requirements.md#trunks). */
export const called = () =>
  new Option('--called <digits>', 'first digits after the prefix; default: any').argParser(
    matching(/^[\d#*]{1,32}$/, '1 to 32 digits, # or *'),
  );
