/** Helpers shared by the commands. */
import { InvalidArgumentError } from 'commander';
import type { Command, Option } from 'commander';
import type { OperatorCtx } from '@clarion/core/consumer/operator';

/** Adds a command whose result is printed, for people (by default one name per line) or as JSON. */
export type Add = <O, R = unknown>(
  parent: Command,
  name: string,
  description: string,
  options: readonly Option[],
  work: (ctx: OperatorCtx, options: O) => Promise<R>,
  readable?: (result: R) => string,
) => void;

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number.');
  return Number(text);
}
