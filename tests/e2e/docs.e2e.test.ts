/**
 * An integration built only from the documentation, in an empty folder: the commands of the quick start are pasted into one terminal,
 * and its page receives and places a call. The documentation pages themselves are tested as well.
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { freePort } from '@clarion/devkit/settings/free-port';

const CUSTOMER_HZ = 440;
const LINE = '+442079460001';
const CALL_WITHIN_MS = 15_000;
const PASTE_WITHIN_MS = 30_000;
const root = resolve(import.meta.dirname, '../..');

let t: TestStack;
let browser: TestBrowser;
let folder: string;
let terminal: Terminal;
/** The shell blocks of the quick start, by the number of the step. */
let steps: Map<number, string[]>;

beforeAll(async () => {
  t = await TestStack.share();
  browser = await TestBrowser.launch();
  folder = mkdtempSync(join(tmpdir(), 'clarion-quick-start-'));
  terminal = new Terminal(folder);
  const page = await fetch(`${t.baseUrl}/docs/quick-start.md`);
  expect(page.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  steps = shellBlocks(await page.text());
});
afterAll(async () => {
  terminal?.close();
  await browser?.close();
  await t?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** One bash process, in which all pasted blocks run in the same folder and environment, as in a terminal. */
class Terminal {
  readonly #bash: ChildProcessWithoutNullStreams;
  #said = '';

  constructor(cwd: string) {
    const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
    const { HOME = '/', LANG = 'C.UTF-8' } = process.env;
    this.#bash = spawn('bash', ['--norc', '-m'], { cwd, env: { PATH: path, HOME, LANG } });
    this.#bash.stdout.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
    this.#bash.stderr.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
  }

  /** Resolves with the output of the block; rejects if its last command failed. */
  async paste(block: string): Promise<string> {
    this.#said = '';
    this.#bash.stdin.write(`${block}\nprintf '\\n<<%s>>\\n' $?\n`);
    const signal = AbortSignal.timeout(PASTE_WITHIN_MS);
    while (!/<<\d+>>\n$/.test(this.#said)) await once(this.#bash.stdout, 'data', { signal });
    assert.match(this.#said, /<<0>>\n$/, `failed: ${block}\n${this.#said}`);
    return this.#said.replace(/\n<<0>>\n$/, '');
  }

  close(): void {
    this.#bash.stdin.end();
    this.#bash.kill();
  }
}

function shellBlocks(markdown: string): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const section of markdown.split(/^## /m)) {
    const step = Number(/^(\d+)\./.exec(section)?.[1]);
    if (step)
      found.set(
        step,
        [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text),
      );
  }
  return found;
}

const pasteStep = async (step: number): Promise<string> => {
  const outputs: string[] = [];
  for (const block of steps.get(step) ?? []) outputs.push(await terminal.paste(block));
  return outputs.join('\n');
};
const serverLog = () => readFileSync(join(folder, 'server.log'), 'utf8');

describe('the quick start', () => {
  test('steps 1 to 3 create credentials, a trunk, a tenant, an agent, a queue and a line', async () => {
    const { slug, apiKey, signingKey, webhookSecret } = t.account;
    const mine: Record<string, string> = {
      CLARION_ACCOUNT: slug,
      CLARION_API_KEY: apiKey,
      CLARION_KID: signingKey.kid,
      CLARION_SIGNING_SECRET: signingKey.secret,
      CLARION_WEBHOOK_SECRET: webhookSecret,
    };
    const [credentials = ''] = steps.get(1) ?? [];
    const filled = credentials.replaceAll(
      /^export (\w+)=.*$/gm,
      (_, name: string) => `export ${name}='${mine[name]}'`,
    );
    expect(filled).not.toContain('undefined');
    await terminal.paste(filled);
    expect(await pasteStep(2)).toContain(`"id":${t.account.trunkId}`);
    const made = await pasteStep(3);
    for (const answer of ['{"tenant":', '{"agent":', '{"queue":', '{"channel":'])
      expect(made).toContain(answer);
    expect(made).not.toContain('"error"');
  });

  test('steps 4 and 5 set the webhook and start a backend of three files', async () => {
    const port = String(await freePort());
    const webhook = (steps.get(4) ?? []).map((block) => block.replace(/PORT=\d+/, `PORT=${port}`));
    for (const block of webhook) expect(await terminal.paste(block)).toContain(`127.0.0.1:${port}/webhook`);
    await pasteStep(5);
    expect(serverLog()).toContain('listening');
    const token = await fetch(`http://127.0.0.1:${port}/token`);
    expect((await token.text()).split('.')).toHaveLength(3);
  });

  test('step 6: the first call ends, and both of its events arrive and are verified', async () => {
    const said = await pasteStep(6);
    expect(said).toContain('"status":"INITIATED"');
    expect(said).toContain('{"accepted":true}');
    expect(serverLog()).toMatch(/call\.created \d+ INITIATED/);
    expect(serverLog()).toMatch(/call\.ended \d+ TERMINATED CANCELLED/);
    expect(said).toContain('"terminatedBy":"CONSUMER"');
  });

  test('step 7: the page answers a call and places one', async () => {
    const port = (await terminal.paste('echo $PORT')).trim();
    const phone: BrowserPage = await browser.open(`http://127.0.0.1:${port}/`);
    const { page } = phone;
    await page.getByRole('heading', { name: 'Available' }).waitFor({ timeout: CALL_WITHIN_MS });

    const customer = await t.phone();
    const call = await customer.call(LINE, t.sip);
    await page.getByRole('button', { name: 'Answer' }).click({ timeout: CALL_WITHIN_MS });
    await call.answered();
    call.audio.sendTone(CUSTOMER_HZ);
    await phone.hearsTone(CUSTOMER_HZ, { withinMs: CALL_WITHIN_MS });
    await page.getByRole('button', { name: 'Hang up' }).click();
    await call.ended();
    await expect.poll(serverLog, { timeout: CALL_WITHIN_MS }).toMatch(/call\.ended \d+ TERMINATED COMPLETED/);

    t.carrier.behaviour = { do: 'answer', afterMs: 200 };
    const taken = t.carrier.nextCall();
    const [create = ''] = steps.get(6) ?? [];
    await terminal.paste(create);
    await page.getByPlaceholder('callId').fill((await terminal.paste('echo $CALL_ID')).trim());
    await page.getByRole('button', { name: 'Start this call' }).click();
    const dialled = await taken;
    expect(dialled.called).toBe('442079460123');
    await page.getByRole('heading', { name: 'active' }).waitFor({ timeout: CALL_WITHIN_MS });
    await dialled.hangUp();
    await expect
      .poll(() => serverLog().match(/call\.ended \d+ TERMINATED COMPLETED/g), { timeout: CALL_WITHIN_MS })
      .toHaveLength(2);
    await phone.context.close();
  });

  test('step 8: cleaning up leaves nothing behind', async () => {
    expect(await pasteStep(8)).not.toContain('"error"');
    const { tenants } = await t.v1.ok<{ tenants: unknown[] }>('GET', '/v1/tenants');
    expect(tenants).toEqual([]);
  });
});

describe('the documentation pages', () => {
  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('are accessible and fit the window, %s and %i wide', async (theme, width) => {
    const context = await browser.browser.newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    for (const name of [
      '',
      '/quick-start',
      '/guides/webhooks',
      '/reference/put-queue',
      '/reference/rate-limits-none',
    ]) {
      const answer = await page.goto(`${t.baseUrl}/docs${name}`, { waitUntil: 'networkidle' });
      if (name.endsWith('none')) {
        expect(answer?.status()).toBe(404);
        continue;
      }
      expect(await axeViolations(page, { themes: [theme], includeMinor: true }), name).toEqual([]);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(over, `${name} is wider than its window`).toBeLessThanOrEqual(0);
    }
    await context.close();
  });

  test('show the current page in the navigation, and have the skip link first in the tab order', async () => {
    const context = await browser.browser.newContext({ viewport: { width: 1440, height: 600 } });
    const page = await context.newPage();
    await page.goto(`${t.baseUrl}/docs/reference/put-queue`, { waitUntil: 'networkidle' });
    const [side, item] = await Promise.all(
      ['.doc-side', '.doc-side [aria-current=page]'].map((part) => page.locator(part).boundingBox()),
    );
    assert(side && item);
    // The browser rounds positions in a scrolled box to whole pixels.
    expect(item.y).toBeGreaterThan(side.y - 1);
    expect(item.y + item.height).toBeLessThan(side.y + side.height + 1);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
    await context.close();
  });

  test('can be searched with the keyboard alone', async () => {
    const context = await browser.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${t.baseUrl}/docs`, { waitUntil: 'networkidle' });
    await page.keyboard.press('/');
    await page.keyboard.type('verify webhok signature');
    await page.locator('.doc-search li').first().waitFor({ timeout: 5000 });
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/guides/webhooks#verify-every-request', { timeout: 5000 });
    await context.close();
  });

  test('copy code and remember the chosen language', async () => {
    const context = await browser.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(`${t.baseUrl}/docs/guides/webhooks`, { waitUntil: 'networkidle' });
    const block = page.locator('[data-tabs]').first();
    await block.getByRole('tab', { name: 'Node' }).focus();
    await page.keyboard.press('ArrowRight');
    await block.getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^import base64\nimport hashlib/,
    );
    await page.goto(`${t.baseUrl}/docs/guides/agents`, { waitUntil: 'networkidle' });
    await page.getByRole('tab', { name: 'Python', selected: true }).waitFor();
    await context.close();
  });

  test('are available to programs too', async () => {
    const get = async (path: string) => (await fetch(`${t.baseUrl}${path}`)).text();
    const index = await get('/llms.txt');
    const links = [...index.matchAll(/\]\((\S+?)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(80);
    for (const link of [links[0], links[20], links.at(-1)]) {
      const answer = await fetch(link ?? '');
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/markdown; charset=utf-8',
      ]);
    }
    expect(await get('/llms-full.txt')).toContain('# Webhooks');
    const missing = await fetch(`${t.baseUrl}/docs/guides/webhoks.md`);
    expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining('guides/webhooks')]);
  });
});
