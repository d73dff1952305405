/**
 * Opens every page of the file tree once as an owner of the demo account with its two weeks of sample history: no errors, a title and a
 * heading, no serious accessibility violations in light or dark, and no horizontal scrolling on a phone.
 */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { createStaff, settled, signIn, type Credentials } from '@clarion/testkit/stack/dashboard';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

const SHOWN_WITHIN_MS = 15_000;
const BOOTED_WITHIN_MS = 90_000;
const LOOKED_AT_WITHIN_MS = 180_000;
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Pages that are checked concurrently. */
const TABS = 3;
const root = resolve(import.meta.dirname, '../../..');
/** The page for people who must set up two-factor authentication, and the page for unknown addresses. */
const SPECIAL = ['/app/two-factor', '/app/[...missing]'];

let t: TestStack;
let browser: TestBrowser;
let owner: Credentials;
let example: Record<string, string>;

beforeAll(async () => {
  browser = await TestBrowser.launch();
  t = await TestStack.boot({ seed: true, only: ['web', 'realtime'], env: { CLARION_DEMO_HISTORY: '1' } });
  owner = await createStaff(t, { slug: 'demo', role: 'OWNER' });
  const call = await t.db.call.findFirstOrThrow({
    where: { tenant: { ref: 'demo' }, endedAt: { not: null } },
    orderBy: { id: 'desc' },
  });
  const { id: trunkId } = await t.clarion<{ id: number }>([
    ...[
      'trunk',
      'create',
      '--slug',
      'demo',
      '--name',
      'own',
      '--host',
      '127.0.0.1',
      '--source',
      '198.41.0.4',
    ],
  ]);
  const deck = await t.db.rateDeck.create({
    data: { consumer: { connect: { slug: 'demo' } }, name: 'Carrier', kind: 'BUY', currency: 'USD' },
  });
  await t.db.rateEntry.create({
    data: {
      deckId: deck.id,
      prefix: '4420',
      rate: '0.012',
      initialSeconds: 60,
      incrementSeconds: 1,
      connectionFee: '0',
      effectiveFrom: new Date(0),
    },
  });
  const { id: consumerId } = await t.db.consumer.findUniqueOrThrow({ where: { slug: 'demo' } });
  const plan = await t.db.pricePlan.create({ data: { consumerId, name: 'Standard', currency: 'USD' } });
  example = {
    deckId: String(deck.id),
    tenantRef: 'demo',
    queueRef: 'support',
    flowRef: 'welcome',
    callId: String(call.id),
    trunkId: String(trunkId),
    planId: String(plan.id),
  };
}, BOOTED_WITHIN_MS);
afterAll(async () => {
  await browser?.close();
  await t?.stop();
});

/** The paths of the pages of a group, for example `/app/t/[tenantRef]/queues`. */
function pagesOf(group: '(signed-in)' | '(signed-out)'): string[] {
  return readdirSync(join(root, 'apps/web/app/app', group), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)page\.tsx$/.test(file))
    .map((file) => `/app/${file.replace(/\/?page\.tsx$/, '')}`.replace(/\/$/, ''))
    .filter((path) => !SPECIAL.includes(path))
    .toSorted();
}
const addressOf = (path: string) => path.replaceAll(/\[(\w+)\]/g, (_, name: string) => example[name] ?? name);

interface Looked {
  page: Page;
  /** Errors since it was last cleared. */
  faults: string[];
}

async function tab(context: BrowserContext): Promise<Looked> {
  const page = await context.newPage();
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on(
    'response',
    (answer) => answer.status() >= 400 && faults.push(`${answer.status()} ${answer.url()}`),
  );
  page.on('requestfailed', (request) => {
    // Requests that were aborted when the page was left.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') faults.push(`failed ${request.url()}`);
  });
  return { page, faults };
}

/** Checks several pages concurrently, each in the next idle tab. */
async function eachPage(
  context: BrowserContext,
  paths: string[],
  look: (on: Looked, path: string) => Promise<string[]>,
): Promise<string[]> {
  const waiting = [...paths];
  const found: string[] = [];
  const work = async () => {
    const on = await tab(context);
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
      found.push(...(await look(on, path)).map((fault) => `${path}: ${fault}`));
  };
  await Promise.all(Array.from({ length: TABS }, work));
  return found;
}

async function look({ page, faults }: Looked, path: string): Promise<string[]> {
  faults.length = 0;
  await page.setViewportSize(WIDE);
  await page.goto(`${t.baseUrl}${addressOf(path)}`);
  await settled(page);
  const found: string[] = [];
  const at = new URL(page.url()).pathname;
  if (at !== addressOf(path)) found.push(`redirected to ${at}`);
  if ((await page.locator('h1').count()) !== 1) found.push('does not have exactly one heading of level 1');
  const title = await page.title();
  if (!/^\S.* · Clarion$/.test(title) || title.startsWith('Dashboard')) found.push(`has the title ${title}`);
  found.push(...(await axeViolations(page)));
  await page.setViewportSize(PHONE);
  await settled(page);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (over > 0) found.push(`scrolls horizontally by ${over} px on a phone`);
  return [...found, ...faults];
}

test(
  'every page opens for an owner without errors, has a title, is accessible, and fits a phone',
  async () => {
    const signedIn = await browser.open(t.baseUrl);
    await signIn(signedIn.page, t.baseUrl, owner);
    const inside = pagesOf('(signed-in)');
    expect(inside.length).toBeGreaterThan(15);
    expect(await eachPage(signedIn.context, inside, look)).toEqual([]);
    const visitor = await browser.open(t.baseUrl);
    expect(await eachPage(visitor.context, pagesOf('(signed-out)'), look)).toEqual([]);
  },
  LOOKED_AT_WITHIN_MS,
);

test('signing in leads to the requested page, and an unknown page links back', async () => {
  const { page } = await browser.open(`${t.baseUrl}/app/t/demo/calls?state=MISSED`);
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  await page.getByLabel('Email').fill(owner.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(owner.password);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === '/app/t/demo/calls' && url.search === '?state=MISSED');

  const answer = await page.goto(`${t.baseUrl}/app/nowhere`);
  expect(answer?.status()).toBe(404);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.getByRole('link', { name: 'Go to home' }).press('Enter');
  await page.waitForURL((url) => url.pathname === '/app');
  await page.getByRole('heading', { name: /^Hello/ }).waitFor();
});

test('with the keyboard, one can skip the navigation, open a list and a sheet, and return to the same place', async () => {
  const { page } = await browser.open(t.baseUrl);
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  await signIn(page, t.baseUrl, owner, { to: '/app/t/demo/agents' });
  await settled(page);
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  const opener = page.getByRole('button', { name: 'New agent' });
  expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  expect(await page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null)).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true);
});
