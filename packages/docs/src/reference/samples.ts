/** Calls that run as printed, from an endpoint's example. */
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import type { DescribedEndpoint } from './endpoint.ts';

/** A path with the example's values, escaped as a URL needs it. */
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

/** JSON with the quotes that JavaScript does not need left out. */
const javascript = (value: unknown) =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\']|\\[^"'])*)"/g, "'$1'");
