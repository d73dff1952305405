import { expect, test } from 'vitest';
import { buildOpenApi } from '../src/openapi/build-openapi.ts';
import { checkerOf } from './openapi-checker.ts';

const { undocumented, templateOf } = checkerOf(buildOpenApi({ baseUrl: 'http://localhost', version: '0' }));
const path = '/v1/tenants/{tenantRef}/queues/{queueRef}';
const answer = (status: number, body: unknown, contentType = 'application/json') =>
  undocumented(path, 'PUT', { status, contentType, text: body === '' ? '' : JSON.stringify(body) });
const errorBody = (code: string, field?: string) => ({
  error: { code, message: 'No.', ...(field !== undefined && { details: { field } }) },
});

test('an error with a documented status and code that names an existing field is documented', () => {
  expect(answer(404, errorBody('not_found'))).toEqual([]);
  for (const field of ['name', 'members', 'members[2].priority', 'tenant_ref']) {
    expect(answer(400, errorBody('invalid_request', field)), field).toEqual([]);
  }
});

test('an undocumented status, error code, content type, body or field is reported', () => {
  expect(answer(418, errorBody('not_found'))).not.toEqual([]);
  expect(answer(404, errorBody('call_active'))).not.toEqual([]);
  expect(answer(404, errorBody('not_found'), 'text/html')).not.toEqual([]);
  expect(answer(200, { queue: { id: 'three' } })).not.toEqual([]);
  expect(answer(200, '')).not.toEqual([]);
  for (const field of ['nmae', 'members[2].rank', 'members.priority', 'queue']) {
    expect(answer(400, errorBody('invalid_request', field)), field).not.toEqual([]);
  }
});

test('the template of a request path is found', () => {
  expect(templateOf('/v1/tenants/a%2Fb/queues/support', 'PUT')).toBe(path);
  expect(templateOf('/v1/tenants/a/queues', 'PUT')).toBeUndefined();
  expect(templateOf('/v1/nothing', 'GET')).toBeUndefined();
});
