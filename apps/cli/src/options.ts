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

/** The options that were given: verbs distinguish an absent field from one that is removed. */
export const withoutUndefined = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T as undefined extends T[K] ? never : K]: T[K];
  } & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };
