/** Tests the tarball as users get it: installs it into an empty folder without a network, runs it and compiles against it. */
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { build } from 'esbuild';
import { browserTargets, packageFiles } from './package-files.ts';
import { tarball } from './tarball.ts';

const run = promisify(execFile);
/** Builds, installations and compilations are slow on a busy machine. */
const BUILD_MS = 60_000;
vi.setConfig({ testTimeout: BUILD_MS });
/** Not minified. All of zod would add a megabyte. */
const BUNDLE_MAX_CHARS = 500_000;
const repository = fileURLToPath(new URL('../../..', import.meta.url));
let folder: string;
let installed: string;
let files: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clarion-sdk-user-'));
  installed = join(folder, 'node_modules/@clarion/sdk');
  files = await packageFiles();
  await writeFile(join(folder, 'sdk.tgz'), tarball(files));
  await writeFile(join(folder, 'package.json'), '{ "name": "backend", "private": true, "type": "module" }');
  const flags = ['--offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...flags, './sdk.tgz'], { cwd: folder });
}, BUILD_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Compiles a backend's file against the installed package in strict mode and returns the errors. */
async function compileErrorsOf(name: string, source: string, more: string[] = []): Promise<string> {
  await writeFile(join(folder, name), source);
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
        ...{
          target: 'es2024',
          lib: ['es2024', 'dom', 'dom.iterable'],
          module: 'nodenext',
          allowImportingTsExtensions: true,
        },
        ...{ types: ['node'], typeRoots: [join(repository, 'node_modules/@types')] },
      },
      files: [name, ...more],
    }),
  );
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  return run(process.execPath, [tsc, '-p', folder]).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

describe('the installed package', () => {
  test('has no dependencies and needs no other packages', async () => {
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/@clarion/sdk']);
    for (const [file, text] of Object.entries(files)) {
      if (file.endsWith('.md')) continue;
      const imports = [...text.matchAll(/^(?:import|export) .*from ['"]([^'"]+)['"]/gm)].map(
        ([, from]) => from,
      );
      expect(
        imports.filter((from) => !/^(\.|node:)/.test(from ?? '')),
        file,
      ).toEqual([]);
      expect(text, file).not.toContain(repository);
    }
  });

  test('calls the service, signs, verifies and distinguishes errors on any Node version', async () => {
    const seen: string[] = [];
    const service: Server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      const found = request.url === '/v1/tenants/north';
      const error = { code: 'not_found', message: 'No.' };
      response.writeHead(found ? 200 : 404, { 'X-Request-Id': 'r-1' });
      response.end(JSON.stringify(found ? { tenant: { ref: 'north' } } : { error }));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    await writeFile(
      join(folder, 'backend.js'),
      `import { createClient, isApiError, signAgentToken, verifyWebhook } from '@clarion/sdk/node';
      const client = createClient({ url: process.argv[2], apiKey: 'ck_a_b' });
      const { tenant } = await client.getTenant({ path: { tenantRef: 'north' } });
      const error = await client.getTenant({ path: { tenantRef: 'south' } }).catch((reason) => reason);
      const token = await signAgentToken({ consumer: 'a', kid: 'k', secret: 's'.repeat(32) }, { tenantRef: 'north', agentRef: 'ada', name: 'Ada' });
      let refused;
      try { verifyWebhook({ headers: {}, body: '{}' }, 'whsec_x'); } catch (reason) { refused = reason.reason; }
      console.log(JSON.stringify([tenant.ref, isApiError(error, 'not_found'), error.requestId, token.split('.').length, refused]));`,
    );
    const { port } = service.address() as AddressInfo;
    const { stdout } = await run('node', ['backend.js', `http://127.0.0.1:${port}`], { cwd: folder });
    service.close();
    expect(JSON.parse(stdout)).toEqual(['north', true, 'r-1', 3, 'missing']);
    expect(seen).toEqual(['GET /v1/tenants/north Bearer ck_a_b', 'GET /v1/tenants/south Bearer ck_a_b']);
  });

  test('has types for every method, list, event and error, and rejects what the service would reject', async () => {
    const errors = await compileErrorsOf(
      'backend.ts',
      `import { createClient, createWebhookHandler, isApiError, type Call, type WebhookEvent } from '@clarion/sdk/node';
      const client = createClient({ url: 'https://calls.example.com', apiKey: 'ck_a_b' });
      const path = { tenantRef: 'north' };
      export async function use() {
        const { queue } = await client.putQueue({
          path: { ...path, queueRef: 'sales' },
          body: { name: 'Sales', strategy: 'RING_ALL', members: [{ agent_ref: 'ada', priority: 1 }], overflow_queue_ref: null },
        });
        const wait: number | null = queue.maxWaitSeconds;
        await client.listTenants();
        const { call } = await client.createCall(
          { path, body: { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+14155550123' } }, idempotencyKey: 'o-1' });
        const same: Call = call;
        for await (const each of client.paginate.listCalls({ path, query: { from: new Date(), live: true, limit: 10 } })) each.durations.call.toFixed();
        for await (const event of client.paginate.listEvents()) event.attempts.length;
        // @ts-expect-error name is required
        await client.putTenant({ path, body: {} });
        // @ts-expect-error the strategy does not exist
        await client.putQueue({ path: { ...path, queueRef: 'q' }, body: { name: 'Q', strategy: 'LOUDEST' } });
        // @ts-expect-error the path requires queueRef
        await client.getQueue({ path });
        // @ts-expect-error the paginator sets before_id itself
        client.paginate.listCalls({ path, query: { before_id: 5 } });
        // @ts-expect-error the field does not exist
        call.colour;
        return [wait, same] as const;
      }
      export const take = (event: WebhookEvent) => event.event_type === 'call.ended' ? event.data.call.terminationReason : null;
      export const told = (error: unknown) => {
        if (!isApiError(error, 'agent_busy', 'call_ended')) throw error;
        const code: 'agent_busy' | 'call_ended' = error.code;
        return [code, error.details?.field, error.retryAfterSeconds, error.requestId] as const;
      };
      export const handler = createWebhookHandler({ secret: ['whsec_a', 'whsec_b'], onEvent: async (event) => { take(event); } });
      `,
    );
    expect(errors).toBe('');
  });
});

describe('the browser entry of the installed package', () => {
  const page = `import { connect, type Agent, type AgentCall, type Call } from '@clarion/sdk';
    export async function start(url: string): Promise<Agent> {
      const agent = await connect({ url, getToken: async () => (await (await fetch('/token')).json()).token });
      await agent.setAvailability('AVAILABLE');
      agent.on('incoming', (call: Call) => { call.accept().catch(() => call.decline()); });
      agent.on('withdrawn', (call, reason) => { const why: 'ANSWERED_ELSEWHERE' | 'TIMEOUT' | 'CANCELLED' | 'DECLINED' = reason; console.log(call.callId, why); });
      const call = await agent.startOutbound(7);
      await call.sendDigits('1#');
      // @ts-expect-error an agent is AVAILABLE or OFFLINE
      await agent.setAvailability('BUSY');
      return agent;
    }
    export const name = (call: AgentCall): string | null => call.customer.name;`;

  test('has equally strict types', async () => {
    expect(await compileErrorsOf('page.ts', page)).toBe('');
  });

  test('can be bundled into a page without other packages', async () => {
    await writeFile(join(folder, 'page.ts'), page);
    const { outputFiles, warnings } = await build({
      ...{ entryPoints: [join(folder, 'page.ts')], bundle: true, format: 'esm', platform: 'browser' },
      ...{ write: false, logLevel: 'silent', target: browserTargets },
    });
    expect(warnings).toEqual([]);
    expect(outputFiles?.[0]?.text).toContain('startOutbound');
  });
});

test('the entry for React Native has types and can be bundled, also by a bundler that ignores `exports`', async () => {
  const app = `import { Device, type Agent, type PushOutcome } from '@clarion/sdk/react-native';
    class RTCPeerConnection { constructor(public configuration?: { bundlePolicy?: 'balanced' | 'max-bundle' }) {} }
    const mediaDevices = { getUserMedia: (constraints: { audio?: boolean | object; video?: boolean | object }) => Promise.resolve({ constraints }) };
    const storage = { getItem: async (key: string): Promise<string | null> => key, setItem: async (_key: string, _value: string): Promise<void> => undefined };
    export const device = new Device({ url: 'https://calls.example.com', getToken: () => 't', webrtc: { RTCPeerConnection, mediaDevices }, storage });
    export async function onPush(data: unknown): Promise<string> {
      const outcome: PushOutcome = await device.handlePush(data);
      if (outcome.kind === 'ringing') return outcome.call.customer.name ?? 'unknown';
      if (outcome.kind === 'missed') return outcome.push.callerName ?? 'unknown';
      return outcome.reason;
    }
    export const calls = (agent: Agent) => agent.calls.map(({ id }) => id);`;
  expect(await compileErrorsOf('app.ts', app)).toBe('');
  const bundled = (options: object) =>
    build({
      ...{ entryPoints: [join(folder, 'app.ts')], bundle: true, format: 'esm', platform: 'neutral' },
      ...{ write: false, logLevel: 'silent', ...options },
    });
  const { warnings } = await bundled({});
  expect(warnings).toEqual([]);
  expect(files['dist/react-native/index.js']?.length).toBeLessThan(BUNDLE_MAX_CHARS);
  // As Metro resolves it without `exports`.
  const { main } = JSON.parse(await readFile(join(installed, 'react-native/package.json'), 'utf8'));
  expect(files[join('react-native', main)]).toContain('acceptPushed');
});

test('the published types are those of the repository', async () => {
  const source = join(repository, 'packages/sdk/src/node/endpoints.ts');
  const errors = await compileErrorsOf(
    'same.ts',
    `import type * as Source from '${source}';
    import type * as Made from './node_modules/@clarion/sdk/dist/node/endpoints.d.ts';
    type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'the published one is wider') : 'the published one is narrower';
    type Fits<Sent, Taken> = [Sent] extends [Taken] ? true : 'the value does not match its type';
    type All<T extends Record<string, true>> = T;
    type S = Source.Endpoints; type M = Made.Endpoints;
    export type Answers = All<{ [N in keyof S]: Fits<S[N]['answer'], M[N]['answer']> }>;
    export type Paths = All<{ [N in keyof S]: Same<S[N]['path'], M[N]['path']> }>;
    export type Bodies = All<{ [N in keyof S]: Fits<M[N]['body'], S[N]['body']> }>;
    export type Queries = All<{ [N in keyof S]: Fits<M[N]['query'], S[N]['query']> }>;
    export type Rest = All<{
      names: Same<Source.EndpointName, Made.EndpointName>;
      codes: Same<Source.ErrorCode, Made.ErrorCode>;
      details: Same<Source.ErrorDetails, Made.ErrorDetails>;
      events: Same<Source.WebhookEvent, Made.WebhookEvent>;
    }>;
    `,
  );
  expect(errors).toBe('');
});

test('the tarball is reproducible', () => {
  expect(tarball(files).equals(tarball({ ...files }))).toBe(true);
});
