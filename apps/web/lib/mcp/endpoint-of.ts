/** Finds the endpoint of the Management API for a method and path, and similar endpoints if there is none. */
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import type { EndpointName } from '@clarion/protocol/v1/registry';

export type Method = EndpointDefinition['method'];

const NEAREST = 3;

interface Entry {
  name: EndpointName;
  method: Method;
  template: string;
  pattern: RegExp;
  /** Only a user who is signed in to the dashboard may call it. */
  sessionOnly: boolean;
}

const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '[^/]+')}$`,
  );
const isEndpointName = (name: string): name is EndpointName => name in registry;
const entries: Entry[] = Object.entries<EndpointDefinition>(registry).flatMap(
  ([name, { method, path, sessionOnly = false }]) =>
    isEndpointName(name) ? [{ name, method, template: path, pattern: patternOf(path), sessionOnly }] : [],
);
/** The endpoints that may be suggested to an assistant: those of the dashboard only are not. */
const suggestible = entries.filter(({ sessionOnly }) => !sessionOnly);
const dashboardOnly = entries.filter(({ sessionOnly }) => sessionOnly);

export const endpointOf = (method: Method, pathname: string): EndpointName | null =>
  suggestible.find((endpoint) => endpoint.method === method && endpoint.pattern.test(pathname))?.name ?? null;

/** Explains that there is no such endpoint and suggests similar ones. */
export function unknownEndpointMessage(method: Method, pathname: string): string {
  if (dashboardOnly.some((endpoint) => endpoint.method === method && endpoint.pattern.test(pathname))) {
    return `${method} ${pathname} is for users who are signed in to the dashboard. Ask the user to do it there.`;
  }
  const others = suggestible
    .filter(({ pattern }) => pattern.test(pathname))
    .map((endpoint) => endpoint.method);
  if (others.length > 0) return `${pathname} has no ${method}; it has ${others.join(', ')}.`;
  const nearest = suggestible
    .filter((endpoint) => endpoint.method === method)
    .map(({ template }) => ({ template, distance: distance(template.split('/'), pathname.split('/')) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, NEAREST)
    .map(({ template }) => `${method} ${template}`);
  return `${method} ${pathname} is not an endpoint of the Management API. Did you mean ${nearest.join(', ')}? docs_contents lists the reference pages.`;
}

/** The number of path segments to add, remove or change; a path field matches anything. */
function distance(template: readonly string[], sent: readonly string[]): number {
  let above = sent.map((_, index) => index + 1);
  template.forEach((step, row) => {
    let diagonal = row;
    let left = row + 1;
    above = sent.map((word, column) => {
      const change = diagonal + (step.startsWith('{') || step === word ? 0 : 1);
      diagonal = above[column] ?? 0;
      left = Math.min(change, diagonal + 1, left + 1);
      return left;
    });
  });
  return above.at(-1) ?? template.length;
}
