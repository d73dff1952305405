/** Helpers shared by the commands. */
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { z } from 'zod';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import { fieldError } from '@clarion/protocol/v1/fields/field-error';

/** Adds a command whose result is printed, for people (by default one name per line) or as JSON. */
export type Add = <O, R = unknown>(
  parent: Command,
  name: string,
  description: string,
  options: readonly Option[],
  work: (ctx: OperatorCtx, options: O) => Promise<R>,
  readable?: (result: R) => string,
) => void;

export const slug = new Option('--slug <slug>', "the account's slug").makeOptionMandatory();

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number.');
  return Number(text);
}

/** Options as the body of a request. @throws 400 naming the field */
export function parsed<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const read = schema.safeParse(body, { reportInput: true });
  if (!read.success) throw fieldError(read.error);
  return read.data;
}

/** The options that were given: verbs distinguish an absent field from one that is removed. */
export const withoutUndefined = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T as undefined extends T[K] ? never : K]: T[K];
  } & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };
