/**
 * Generates the protocol's types that the entries for apps expose: the declarations that TypeScript emits, with the types that depend
 * on zod or on lists of constants expanded.
 */
import * as enums from '@clarion/protocol/enums';
import * as errors from '@clarion/protocol/errors';
import { toJsonSchema } from '@clarion/protocol/openapi/json-schema';
import * as push from '@clarion/protocol/push-payload';
import * as socket from '@clarion/protocol/socket';
import { z } from 'zod';
import { typeText } from './type-text.ts';

/** The exposed types, by module of the protocol. */
export const shownModules = ['errors', 'enums', 'socket', 'push-payload'] as const;

const values: ReadonlyMap<string, unknown> = new Map(
  Object.entries({ ...enums, ...errors, ...socket, ...push }),
);

/** `declarations` is the text that TypeScript emits of each module. */
export function protocolTypes(declarations: Readonly<Record<string, string>>): string {
  const kept = shownModules.flatMap((module) =>
    statementsOf(declarations[module] ?? '')
      .filter((statement) => /^export (interface|type) /m.test(statement))
      .map(writtenOut),
  );
  for (const statement of kept)
    if (/\btypeof\b|\bz\./.test(statement)) throw new Error(`cannot be written out:\n${statement}`);
  return `${kept.join('\n')}\n`;
}

/** Emitted declarations and their comments start at the beginning of a line. */
function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let comment = '';
  for (const part of text.split(/^(?=\/\*\*|import |export |declare |type |interface )/m)) {
    if (part.startsWith('/**')) comment = part;
    else {
      statements.push(`${comment}${part}`.trim());
      comment = '';
    }
  }
  return statements;
}

const writtenOut = (statement: string): string =>
  statement
    .replaceAll(/z\.infer<typeof (\w+)>/g, (_, name: string) => schemaText(valueOf(name)))
    .replaceAll(/z\.infer<\(typeof (\w+)\)\[(\w+)\]>/g, (_, name: string, key: string) => {
      const entries = Object.entries(objectOf(name)).map(
        ([each, schema]) => `'${each}': ${schemaText(schema)};`,
      );
      return `{ ${entries.join(' ')} }[${key}]`;
    })
    .replaceAll(/keyof typeof (\w+)/g, (_, name: string) => unionOf(Object.keys(objectOf(name))))
    .replaceAll(/\(typeof (\w+)\)\[number\]/g, (_, name: string) => unionOf(Object.values(objectOf(name))));

function valueOf(name: string): unknown {
  if (!values.has(name)) throw new Error(`the protocol has no ${name}`);
  return values.get(name);
}
function objectOf(name: string): object {
  const value = valueOf(name);
  if (typeof value !== 'object' || value === null) throw new Error(`${name} is no object`);
  return value;
}
const unionOf = (list: unknown[]) => `(${list.map((word) => `'${String(word)}'`).join(' | ')})`;

function schemaText(value: unknown): string {
  if (!(value instanceof z.ZodType)) throw new Error('a schema was expected');
  const { schema, components } = toJsonSchema(value);
  if (Object.keys(components).length > 0) throw new Error('a socket schema names nothing');
  return typeText(schema, 'output');
}
