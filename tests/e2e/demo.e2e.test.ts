/** The demo as a new user tries it: opens its page, calls it with `npm run call`, answers by keyboard, and hears the greeting and an echo. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import type { DemoFile } from '@clarion/core/demo-account';
import { meanPower } from '@clarion/test-phone/audio/goertzel';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { freePort } from '@clarion/devkit/settings/free-port';

const AGENT_HZ = 1000;
const COMMAND_HZ = 600;
/** What the customer's page plays without a microphone. */
const PAGE_TONE_HZ = 440;
const GREETING_SECONDS = 8.3;
/** The speech of the greeting is near −17 dB of full scale, silence below −60 dB. */
const SPEECH_OVER = 10 ** (-40 / 10);
const root = resolve(import.meta.dirname, '../..');

let t: TestStack;
let browser: TestBrowser;
let phone: BrowserPage;
const callers: ChildProcess[] = [];

beforeAll(async () => {
  const CLARION_DEMO_FAR_END_PORT = String(await freePort());
  t = await TestStack.boot({ seed: true, env: { CLARION_DEMO_FAR_END_PORT } });
  browser = await TestBrowser.launch({ microphoneHz: AGENT_HZ });
  phone = await browser.open(`${t.baseUrl}/demo`);
});
afterEach(() => callers.splice(0).forEach((caller) => caller.kill('SIGKILL')));
afterAll(async () => {
  await browser?.close();
  await t?.stop();
});

interface Caller {
  prints(text: string | RegExp, timeoutMs?: number): Promise<void>;
  interrupt(): void;
  exitCode: Promise<number | null>;
}

/** `npm run call -- …` without npm. */
function runCall(...args: string[]): Caller {
  const node = join(root, 'node_modules/.bin/node');
  const child = spawn(node, [join(root, 'scripts/call.ts'), ...args], {
    env: t.stack.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  callers.push(child);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return {
    prints: (text, timeoutMs = 15_000) => expect.poll(() => said, { timeout: timeoutMs }).toMatch(text),
    interrupt: () => void child.kill('SIGINT'),
    exitCode: once(child, 'exit').then(([code]: unknown[]) => (typeof code === 'number' ? code : null)),
  };
}

test('the phone offers the lines from which its agent may call', async () => {
  const { page } = phone;
  await page.getByLabel('Call from').click();
  const options = page.getByRole('option');
  await options.first().waitFor({ timeout: 5000 });
  expect((await options.allTextContents()).map((text) => text.replaceAll(/[^a-z]/gi, ''))).toEqual([
    'SupportPhonesharedline',
    'AdaPhonepersonalline',
    'WhatsAppsupportWhatsAppsharedline',
  ]);
  await page.keyboard.press('Escape');
  await options.first().waitFor({ state: 'detached', timeout: 5000 });
});

test('the demo phone rings and can be answered by keyboard, and both ends hear each other', async () => {
  const { page } = phone;
  const caller = runCall('+442071838750');
  await caller.prints('ringing');
  const answer = page.getByRole('button', { name: 'Answer' });
  await answer.waitFor({ timeout: 15_000 });
  await phone.forget();
  await page.keyboard.press('a');
  await caller.prints('answered');

  await expect.poll(() => phone.hearing()).not.toBeNull();
  await sleep(2000); // of greeting
  const greeting = await phone.hearing();
  expect(greeting && meanPower(greeting.samples) / 32_768 ** 2).toBeGreaterThan(SPEECH_OVER);
  await caller.prints('greeting played', (GREETING_SECONDS + 5) * 1000);
  await phone.forget();
  await phone.hearsTone(AGENT_HZ, { withinMs: 5000 });

  await page.getByRole('button', { name: /hang up/i }).click();
  await caller.prints('the remote party hung up');
  expect(await caller.exitCode).toBe(0);
});

test('the phone stops ringing when the caller hangs up', async () => {
  const caller = runCall('+442071838751');
  const answer = phone.page.getByRole('button', { name: 'Answer' });
  await answer.waitFor({ timeout: 15_000 });
  caller.interrupt();
  await caller.prints('hanging up');
  await answer.waitFor({ state: 'detached', timeout: 5000 });
});

test('a call from the page is answered at the far end of the demo trunk, and the page hears the echo', async () => {
  const farEnd = runCall('--answer', '--ring', '1');
  await farEnd.prints('waiting for calls');
  const { page } = phone;
  await page.getByLabel('Number to call').fill('+442079460123');
  await page.keyboard.press('Enter');
  await farEnd.prints('answered');
  await farEnd.prints('greeting played', (GREETING_SECONDS + 5) * 1000);
  await phone.forget();
  await phone.hearsTone(AGENT_HZ, { withinMs: 5000 });
  farEnd.interrupt();
  await page.getByRole('button', { name: 'Done' }).click({ timeout: 15_000 });
  await page.getByLabel('Number to call').waitFor({ timeout: 5000 });
});

describe('a WhatsApp customer, played in the page of the simulator', () => {
  const PATH = '/v1/tenants/demo/customers/whatsapp-permission?channel_ref=whatsapp&address=%2B447700900461';
  let customer: BrowserPage;
  const story = () => customer.page.getByRole('list');

  /** No call rings or runs on the agent's phone. */
  const isIdle = () => phone.page.getByLabel('Number to call').waitFor({ timeout: 15_000 });

  const permission = async () => {
    const { baseUrl, apiKey } = JSON.parse(
      readFileSync(join(t.stack.dataDir, 'demo.json'), 'utf8'),
    ) as DemoFile;
    const response = await fetch(`${baseUrl}${PATH}`, { headers: { authorization: `Bearer ${apiKey}` } });
    return ((await response.json()) as { permission: { status: string } }).permission.status;
  };

  beforeAll(async () => {
    const context = await browser.browser.newContext({ permissions: ['microphone'], colorScheme: 'light' });
    customer = await browser.open(`http://127.0.0.1:${t.stack.ports.metaControl}/`, { context });
  });
  beforeEach(() => {
    // These tests wait for one page while the other may say what is wrong.
    onTestFailed(async () => {
      for (const { page } of [phone, customer])
        process.stderr.write(`${await page.locator('body').innerText()}\n`);
    });
  });

  test('the page is usable with a screen reader, in both themes', async () => {
    await customer.page.getByRole('heading', { name: 'WhatsApp support' }).waitFor();
    await customer.page.getByRole('button', { name: 'Call', exact: true }).waitFor();
    expect(await axeViolations(customer.page)).toEqual([]);
  });

  test('the customer allows calls and stops them, and the engine knows', async () => {
    await expect.poll(permission).toBe('PERMANENT');
    await customer.page.getByRole('button', { name: 'Stop calls' }).click();
    await expect.poll(permission).toBe('REVOKED');
    await customer.page.getByRole('button', { name: 'Allow calls' }).click();
    await expect.poll(permission).toBe('PERMANENT');
  });

  test('a call of the customer reaches the engine as a webhook, and ends when the customer hangs up', async () => {
    const { page } = customer;
    await page.getByRole('button', { name: 'Call', exact: true }).focus();
    await page.keyboard.press('Enter');
    await story().getByText('You call WhatsApp support.').waitFor();
    expect(await page.getByRole('status').textContent()).toMatch(
      /^(Calling|Ringing|Connecting the audio|In a call)/,
    );
    await story().getByText('Webhook connect delivered').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const hangUp = page.getByRole('button', { name: 'Hang up' });
    await hangUp.click();
    await story().getByText('You hung up').waitFor();
    await story().getByText('Webhook terminate delivered').waitFor();
    expect(await t.db.whatsAppEvent.count()).toBeGreaterThanOrEqual(2);
    await isIdle();
  });

  test('the customer calls, an agent answers, both hear each other, and the customer hangs up', async () => {
    const { page } = customer;
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await phone.page.getByRole('button', { name: 'Answer' }).waitFor({ timeout: 15_000 });
    await phone.page.keyboard.press('a');
    await page.getByText('In a call').waitFor();
    await phone.page.getByRole('button', { name: /hang up/i }).waitFor();
    await Promise.all([phone.forget(), customer.forget()]);
    await phone.hearsTone(AGENT_HZ, { withinMs: 5000 });
    await customer.hearsTone(AGENT_HZ, { withinMs: 5000 });
    await page.getByRole('button', { name: 'Keypad' }).click();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: '5' }).click();
    expect(await page.getByRole('alert').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Hang up' }).click();
    await phone.page.getByRole('button', { name: 'Done' }).click({ timeout: 15_000 });
    await isIdle();
  });

  test('an agent calls the customer, who accepts', async () => {
    const { page } = customer;
    await phone.page.getByLabel('Call from').click();
    await phone.page.getByRole('option', { name: /WhatsApp/ }).click();
    await phone.page.getByLabel('Call from').getByRole('img', { name: 'WhatsApp' }).waitFor();
    await phone.page.getByLabel('Number to call').fill('+447700900461');
    await phone.page.keyboard.press('Enter');
    const accept = page.getByRole('button', { name: 'Accept' });
    await accept.waitFor({ timeout: 15_000 });
    expect(await axeViolations(page)).toEqual([]);
    await accept.click();
    await page.getByText('In a call').waitFor();
    await Promise.all([phone.forget(), customer.forget()]);
    await customer.hearsTone(AGENT_HZ, { withinMs: 10_000 });
    await phone.hearsTone(AGENT_HZ, { withinMs: 5000 });
    await page.getByRole('button', { name: 'Hang up' }).click();
    await phone.page.getByRole('button', { name: 'Done' }).click({ timeout: 15_000 });
    await isIdle();
  });

  test('npm run call -- --whatsapp says who answered and what it heard', async () => {
    const caller = runCall('--whatsapp', '--tone', String(COMMAND_HZ));
    await phone.page.getByRole('button', { name: 'Answer' }).waitFor({ timeout: 15_000 });
    await phone.forget();
    await phone.page.keyboard.press('a');
    await phone.hearsTone(COMMAND_HZ, { withinMs: 10_000 });
    await caller.prints('answered by Ada');
    await caller.prints(`a tone of ${AGENT_HZ} Hz`);
    await phone.page.getByRole('button', { name: /hang up/i }).click();
    await caller.prints(/the business hung up after \d+ s/);
    expect(await caller.exitCode).toBe(0);
    await phone.page.getByRole('button', { name: 'Done' }).click();
    await isIdle();
  });

  test('npm run call -- --whatsapp says that nobody answered, with another exit code', async () => {
    const caller = runCall('--whatsapp');
    await phone.page.getByRole('button', { name: 'Answer' }).waitFor({ timeout: 15_000 });
    caller.interrupt();
    await caller.prints('hanging up');
    expect(await caller.exitCode).toBe(1);
    await isIdle();
  });

  test('a second tab does not answer the same calls, until the person chooses it', async () => {
    const second = await browser.open(customer.page.url(), { context: customer.context });
    await second.page.getByRole('button', { name: 'Use it here' }).click();
    await second.page.getByRole('button', { name: 'Call', exact: true }).waitFor();
    await customer.page.getByText('This phone is open in another tab.').waitFor();
    await second.page.close();
  });

  test('without a microphone the customer plays a tone, and the page says so', async () => {
    const context = await browser.browser.newContext();
    await context.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    });
    const url = `http://127.0.0.1:${t.stack.ports.metaControl}/?customer=447700900462`;
    const { page, log } = await browser.open(url, { context });
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('The microphone was refused: the business hears a tone instead.').waitFor();
    await phone.page.getByRole('button', { name: 'Answer' }).waitFor({ timeout: 15_000 });
    await phone.forget();
    await phone.page.keyboard.press('a');
    await phone.hearsTone(PAGE_TONE_HZ, { withinMs: 10_000 });
    await page.getByRole('button', { name: 'Hang up' }).click();
    await phone.page.getByRole('button', { name: 'Done' }).click({ timeout: 15_000 });
    await isIdle();
    expect(log.filter((line) => line.startsWith('error'))).toEqual([]);
    await context.close();
  });

  test('its console has no error', () => {
    expect(customer.log.filter((line) => line.startsWith('error'))).toEqual([]);
  });
});

test('the page has no error in its console', () => {
  expect(phone.log.filter((line) => line.startsWith('error'))).toEqual([]);
});
