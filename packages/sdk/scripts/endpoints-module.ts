/** Replaces `src/node/endpoints.ts` in the published package: the same names, without schemas and zod. */
import { errorTable } from '@clarion/protocol/errors';
import { envelope, eventData, eventTypes } from '@clarion/protocol/events';
import { nameComponents } from '@clarion/protocol/openapi/component-names';
import type { JsonSchema } from '@clarion/protocol/openapi/input-shape';
import { toJsonSchema } from '@clarion/protocol/openapi/json-schema';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import type { z } from 'zod';
import { addresses } from '../src/node/endpoints.ts';
import { typeText, type Io } from './type-text.ts';

export const endpointsScript = () => `export const addresses = ${JSON.stringify(addresses)};\n`;

export function endpointsTypes(): string {
  const endpoints: [string, EndpointDefinition][] = Object.entries(registry);
  const names = nameComponents(Object.fromEntries(endpoints), eventData);
  const components: Record<string, JsonSchema> = {};
  const text = (schema: z.ZodType, io: Io, indent: string) => {
    const { schema: json, components: used } = toJsonSchema(schema, names);
    Object.assign(components, used);
    return typeText(json, io, indent);
  };
  const entries = endpoints.map(([name, { summary, path, query, body, answer }]) => {
    const fields = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => `${field}: string | number;`);
    return [
      `  /** ${summary} */`,
      `  ${name}: {`,
      `    path: ${fields.length > 0 ? `{ ${fields.join(' ')} }` : 'undefined'};`,
      `    query: ${query ? text(query, 'input', '    ') : 'undefined'};`,
      `    body: ${body ? text(body, 'input', '    ') : 'undefined'};`,
      `    answer: ${answer.body ? text(answer.body, 'output', '    ') : 'undefined'};`,
      `    file: ${answer.file !== undefined};`,
      '  };',
    ].join('\n');
  });
  const { event_type: _, data: __, ...shared } = envelope.shape;
  const common = Object.entries(shared).map(([key, schema]) => `  ${key}: ${text(schema, 'output', '  ')};`);
  const events = eventTypes.map(
    (type) => `  | (Envelope & { event_type: '${type}'; data: ${text(eventData[type], 'output', '  ')} })`,
  );
  return [
    '/** The input and output of every endpoint of the Management API. Generated from the registry. */',
    `export type Endpoints = {\n${entries.join('\n')}\n};`,
    'export type EndpointName = keyof Endpoints;',
    `export type ErrorCode =\n${Object.keys(errorTable)
      .map((code) => `  | '${code}'`)
      .join('\n')};`,
    '/** `field` is the path of the invalid request field; `usedBy` lists what still uses the resource. */',
    'export type ErrorDetails = { field?: string; usedBy?: string[] } & Record<string, unknown>;',
    `type Envelope = {\n${common.join('\n')}\n};`,
    '/** An event that a webhook receives. New types will be added: ignore types that you do not know. */',
    `export type WebhookEvent =\n${events.join('\n')};`,
    ...Object.entries(components).map(
      ([name, schema]) => `export type ${name} = ${typeText(schema, 'output')};`,
    ),
    "export interface EndpointAddress { method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'; path: string; neverRepeated: boolean }",
    'export declare const addresses: Record<EndpointName, EndpointAddress>;',
    '',
  ].join('\n');
}
