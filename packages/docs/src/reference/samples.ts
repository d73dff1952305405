/** Code samples that run as printed, generated from an endpoint's example. */
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import type { DescribedEndpoint } from './endpoint.ts';

/** The path with the example's values, percent-encoded. */
export const pathOf = ({ path, example, ...rest }: EndpointDefinition): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(example.path?.[name] ?? name)),
  );
  return rest.query && example.query ? `${filled}?${example.query}` : filled;
};

/** Text in single quotes for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export function curlOf({ name, definition }: DescribedEndpoint): string {
  const { method, example } = definition;
  const path = pathOf(definition);
  const address = `{base_url}${path}`;
  const lines = [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${path.includes('?') ? quoted(address) : address}`,
    '-H "Authorization: Bearer $CLARION_API_KEY"',
  ];
  if (method === 'POST' && !definition.neverReplayed) lines.push(`-H 'Idempotency-Key: ${name}-1'`);
  if (example.body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example.body))}`);
  }
  return lines.join(' \\\n  ');
}

export function nodeCallOf({ name, definition: { path, query, example } }: DescribedEndpoint): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, one = '']) => one);
  const given = {
    ...(names.length > 0 && {
      path: Object.fromEntries(names.map((one) => [one, example.path?.[one] ?? one])),
    }),
    ...(query && example.query && { query: Object.fromEntries(new URLSearchParams(example.query)) }),
    ...(example.body !== undefined && { body: example.body }),
  };
  const variable =
    example.answer === undefined ? '' : `const { ${Object.keys(example.answer as object).join(', ')} } = `;
  return `${variable}await clarion.${name}(${javascript(given)});`;
}

const LINE_CHARS = 76;

/** A value as a JavaScript literal: keys without quotes where possible, short values on one line. */
function javascript(value: unknown, indent = ''): string {
  if (typeof value === 'string') {
    return value.includes("'") || value.includes('\\') || value.includes('\n')
      ? JSON.stringify(value)
      : `'${value}'`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const parts = (inner: string) =>
    Array.isArray(value)
      ? value.map((one) => javascript(one, inner))
      : Object.entries(value).map(([key, one]) => `${keyOf(key)}: ${javascript(one, inner)}`);
  const space = Array.isArray(value) ? '' : ' ';
  const short = `${open}${space}${parts(indent).join(', ')}${space}${close}`;
  if (short.length + indent.length <= LINE_CHARS && !short.includes('\n'))
    return short === '{  }' ? '{}' : short;
  const inner = `${indent}  `;
  return `${open}\n${parts(inner)
    .map((part) => `${inner}${part},\n`)
    .join('')}${indent}${close}`;
}

const keyOf = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : `'${key}'`);
