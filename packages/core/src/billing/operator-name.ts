/** The setting CLARION_OPERATOR_NAME, for the processes that make invoices. */
import { z } from 'zod';

const DEFAULT_OPERATOR_NAME = 'Clarion';
const MAX_CHARS = 128;

/** Spread into an app's env schema. */
export const operatorNameEnvShape = {
  /** The issuer of the invoices that accounts get from the operator. */
  CLARION_OPERATOR_NAME: z
    .string()
    .trim()
    .max(MAX_CHARS)
    .default('')
    .transform((name) => name || DEFAULT_OPERATOR_NAME),
};

/** For programs without an env schema. @throws an error that names the setting */
export const readOperatorName = (env: Record<string, string | undefined>): string =>
  z.object(operatorNameEnvShape).parse(env).CLARION_OPERATOR_NAME;
