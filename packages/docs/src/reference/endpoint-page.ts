/** The page of one endpoint: its request, response and errors, and examples that run as printed. */
import { errorTable } from '@clarion/protocol';
import type { ErrorCode } from '@clarion/protocol';
import { takesIdempotencyKey } from '@clarion/protocol/openapi/errors';
import { commonErrors, MAX_BODY_BYTES, pathFields } from '@clarion/protocol/v1/endpoint';
import type { EndpointDefinition, EndpointRole, PathField } from '@clarion/protocol/v1/endpoint';
import { z } from 'zod';
import type { DocPage } from '../page.ts';
import { code, table } from '../tables.ts';
import type { DescribedEndpoint } from './endpoint.ts';
import { responseFields, requestFields } from './fields.ts';
import type { Field } from './fields.ts';
import type { Meanings } from './meanings.ts';
import { curlOf, nodeCallOf } from './samples.ts';

const MEGABYTE = 1024 * 1024;

const roles: Record<EndpointRole, string> = {
  view: 'any dashboard user',
  supervise: 'dashboard users who can supervise',
  manage: 'dashboard users who can manage tenants',
  provision: 'dashboard users who can provision trunks (owners and admins)',
  own: 'owners of the account in the dashboard',
};

export function endpointPage(endpoint: DescribedEndpoint, meanings: Meanings): DocPage {
  const { definition, title, noun, page } = endpoint;
  const parts = [
    `# ${title}`,
    definition.summary,
    code('http', `${definition.method} ${definition.path}`),
    accessOf(definition),
    ...requestOf(definition, meanings),
    '## Example',
    code('sh curl', curlOf(endpoint)),
    code('js Node', nodeCallOf(endpoint)),
    '## Response',
    ...responseOf(definition, meanings),
    '## Errors',
    ...(definition.bareErrors
      ? ['The response to a failed request is a status without a body. The codes are not sent.']
      : []),
    errorsOf(endpoint),
  ];
  return {
    name: page,
    title,
    section: 'Reference',
    summary: definition.summary,
    markdown: `${parts.join('\n\n')}\n`,
    group: noun.slug,
    planned: false,
  };
}

function accessOf(definition: EndpointDefinition): string {
  const { role, launchedRole = role, oneTenantSession, maxBodyBytes = MAX_BODY_BYTES } = definition;
  const session = !oneTenantSession
    ? 'A session launched for one tenant may not call it.'
    : launchedRole === role
      ? 'A session launched for one tenant may call it for that tenant.'
      : `In a session launched for one tenant, ${roles[launchedRole]} may call it for that tenant.`;
  const idempotency = takesIdempotencyKey(definition)
    ? ' Send an [Idempotency-Key](docs:guides/idempotency) so that a retry never runs twice.'
    : '';
  const secret = definition.neverReplayed
    ? ' The response contains a secret that is shown only once, so it is never stored for an Idempotency-Key.'
    : '';
  const size =
    maxBodyBytes === MAX_BODY_BYTES
      ? ''
      : ` The body may be up to ${Math.floor(maxBodyBytes / MEGABYTE)} MB.`;
  return `Available to API keys and to ${roles[role]}. ${session}${idempotency}${secret}${size}`;
}

function requestOf({ path, query, body }: EndpointDefinition, meanings: Meanings): string[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const pathRows = names.flatMap((name) =>
    requestFields(z.object({ [name]: pathFields[name as PathField] })).map((field) => [
      `\`${name}\``,
      field.type,
      name.endsWith('Ref') ? `Your ref of the ${name.slice(0, -3)}.` : meanings.ofRequest(field),
    ]),
  );
  return [
    ...(pathRows.length > 0 ? ['## Path', table(['Name', 'Type', 'Meaning'], pathRows)] : []),
    ...(query ? ['## Query', requestTable('Parameter', requestFields(query), meanings)] : []),
    ...(body ? ['## Body', requestTable('Field', requestFields(body), meanings)] : []),
  ];
}

const requestTable = (first: string, fields: readonly Field[], meanings: Meanings): string =>
  table(
    [first, 'Type', 'If omitted', 'Meaning'],
    fields.map((field) => [`\`${field.name}\``, field.type, field.omitted, meanings.ofRequest(field)]),
  );

function responseOf({ answer, example }: EndpointDefinition, meanings: Meanings): string[] {
  const file = answer.file
    ? [`\`${answer.status}\` with a file in the format ${answer.file.join(' or ')}.`]
    : [];
  if (!answer.body) return answer.file ? file : [`\`${answer.status}\` with an empty body.`];
  const { intro, fields } = withoutWrapper(responseFields(answer.body));
  return [
    `\`${answer.status}\``,
    ...(example.answer === undefined ? [] : [code('json', JSON.stringify(example.answer, null, 2))]),
    intro,
    table(
      ['Field', 'Type', 'Meaning'],
      fields.map((field) => [`\`${field.name}\``, field.type, meanings.ofResponse(field)]),
    ),
    ...(answer.file ? [`Or, as the query asks: ${file[0] ?? ''}`] : []),
  ];
}

/** Most responses wrap one resource, or a list of resources, in a key. Its fields are listed without that key. */
function withoutWrapper(fields: readonly Field[]): { intro: string; fields: readonly Field[] } {
  const [wrapper, ...inner] = fields;
  const whole = { intro: 'Fields of the response:', fields };
  if (!wrapper || inner.length === 0) return whole;
  const isList = wrapper.type.startsWith('list');
  const prefix = `${wrapper.name}${isList ? '[]' : ''}.`;
  if (!inner.every(({ name }) => name.startsWith(prefix))) return whole;
  return {
    intro: `Fields of ${isList ? 'each of ' : ''}\`${wrapper.name}\`:`,
    fields: inner.map((field) => ({ ...field, name: field.name.slice(prefix.length) })),
  };
}

function errorsOf({ definition }: DescribedEndpoint): string {
  const codes = new Set<ErrorCode>([...commonErrors, ...definition.errors]);
  const rows = [...codes]
    .map((name) => ({ name, status: errorTable[name][0], sentence: errorTable[name][1] }))
    .toSorted((a, b) => a.status - b.status);
  return table(
    ['Status', 'Code', 'When'],
    rows.map(({ name, status, sentence }) => [String(status), `\`${name}\``, sentence]),
  );
}
