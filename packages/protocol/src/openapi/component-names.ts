/**
 * Names the resources in responses after their keys (`{ queue }`, `{ queues }` → Queue), so that a new endpoint does not have to
 * name them. `.meta({ id })` on a schema overrides the name, for example if two resources would have the same one.
 */
import { z } from 'zod';
import type { EndpointDefinition } from '../v1/endpoint.ts';
import type { ComponentNames } from './json-schema.ts';

export const pascalCase = (name: string) =>
  name.replaceAll(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase());

const singular = (plural: string) =>
  plural
    .replace(/ies$/, 'y')
    .replace(/(ch|sh|x|ss)es$/, '$1')
    .replace(/([^s])s$/, '$1');

interface Candidate {
  schema: z.core.$ZodType;
  name: string;
  owner: string;
  listed: boolean;
}

export function nameComponents(
  endpoints: Readonly<Record<string, EndpointDefinition>>,
  others: Readonly<Record<string, z.ZodType>>,
): ComponentNames {
  const found = [
    ...Object.entries(endpoints).flatMap(([owner, { answer }]) => candidatesOf(owner, answer.body)),
    ...Object.entries(others).flatMap(([owner, schema]) => candidatesOf(owner, schema)),
  ];
  const names: ComponentNames = z.registry<{ id: string }>();
  const taken = new Set<string>(['Error']);
  const give = (schema: z.core.$ZodType, name: string) => {
    names.add(schema, { id: name });
    taken.add(name);
  };
  for (const { schema } of found) {
    const id = z.globalRegistry.get(schema)?.id;
    if (id !== undefined && !names.has(schema)) give(schema, id);
  }
  // The key of a single resource is a better name than that of a list.
  for (const listed of [false, true]) {
    for (const candidate of found.filter((each) => each.listed === listed)) {
      const { schema, name, owner } = candidate;
      if (names.has(schema)) continue;
      give(schema, taken.has(name) ? `${pascalCase(owner)}${name}` : name);
    }
  }
  return names;
}

function candidatesOf(owner: string, body: z.ZodType | undefined): Candidate[] {
  if (!(body instanceof z.ZodObject)) return [];
  return Object.entries(body.shape).flatMap(([key, value]): Candidate[] => {
    const { schema, listed } = resourceIn(value);
    if (!isResource(schema)) return [];
    return [{ schema, name: pascalCase(listed ? singular(key) : key), owner, listed }];
  });
}

/** The schema within nullable, optional and array schemas. */
function resourceIn(schema: z.core.$ZodType): { schema: z.core.$ZodType; listed: boolean } {
  if (schema instanceof z.ZodArray) return { schema: resourceIn(schema.element).schema, listed: true };
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return resourceIn(schema.unwrap());
  return { schema, listed: false };
}

const isResource = (schema: z.core.$ZodType) =>
  schema instanceof z.ZodObject || schema instanceof z.ZodUnion || schema instanceof z.ZodDiscriminatedUnion;
