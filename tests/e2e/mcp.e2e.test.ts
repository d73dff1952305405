/** The assistant endpoint with any client: the protocol's conformance suite against the running service. */
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { TestStack } from '@clarion/testkit/stack/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

let t: TestStack;
beforeAll(async () => {
  t = await TestStack.share();
});
afterAll(() => t?.stop());

/** The scenarios that do not need the suite's own tools. */
test.for(['server-initialize', 'ping', 'tools-list', 'prompts-list', 'dns-rebinding-protection'])(
  'conformance: %s',
  async (scenario) => {
    const { stdout } = await run(join(root, 'node_modules/.bin/node'), [
      join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'),
      'server',
      '--url',
      `${t.baseUrl}/mcp`,
      '--scenario',
      scenario,
    ]);
    expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed/);
  },
);

test('an assistant with the account’s API key can read the documentation and the account', async () => {
  const client = new Client({ name: 'assistant', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${t.baseUrl}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${t.account.apiKey}` } },
    }),
  );
  const contents = await client.callTool({ name: 'docs_contents', arguments: {} });
  expect(JSON.stringify(contents.content)).toContain('quick-start');
  const { structuredContent } = await client.callTool({
    name: 'api_get',
    arguments: { path: '/v1/tenants' },
  });
  expect(structuredContent).toMatchObject({ status: 200 });
  await client.close();
});

test('a client cannot evade the limit by claiming another address', async () => {
  const ping = (address: string) =>
    fetch(`${t.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-forwarded-for': address,
        'x-clarion-peer': address,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    }).then(async (response) => {
      await response.text();
      return response.status;
    });
  const statuses: number[] = [];
  // Exceeds the limit of one address within one window, or within the next one if the minute ends meanwhile.
  for (let sent = 0; sent < 1250 && !statuses.includes(429); sent += 50) {
    const batch = Array.from({ length: 50 }, (_, index) => ping(`198.51.100.${(sent + index) % 250}`));
    statuses.push(...(await Promise.all(batch)));
  }
  expect(statuses).toContain(429);
});
