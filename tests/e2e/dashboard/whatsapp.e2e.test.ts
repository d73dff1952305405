/** WhatsApp in the dashboard: the connection of a line, the permission of a customer, and calls. Meta is simulated. */
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { ACCESS_TOKEN } from '@clarion/testkit/peers/whatsapp-customer';
import { openCallCentre } from '@clarion/testkit/stack/call-centre';
import {
  createOwner,
  createStaff,
  pollsAgain,
  settled,
  signIn,
  type Credentials,
} from '@clarion/testkit/stack/dashboard';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

const SHOWN_WITHIN_MS = 15_000;
const home = '/app/t/shop';
const phoneNumberId = '436666719526789';
const waId = '12185552828';
const address = `+${waId}`;
const userId = 'US.13491208655302741918';

let t: TestStack;
let browser: TestBrowser;
let page: Page;
let supervisor: Page;

beforeAll(async () => {
  t = await TestStack.share();
  const { control } = t.meta.simulator;
  const number = { phoneNumberId, displayPhoneNumber: '447700900123', verifiedName: 'Corner Shop' };
  control.addNumber({ ...number, settings: { call_icon_visibility: 'DISABLE_ALL' } });
  control.addCustomer({ waId, userId });
  await openCallCentre(t);
  await putLine('wa', { display_name: 'WhatsApp sales', inbound_queue_ref: 'sales' });
  browser = await TestBrowser.launch();
  [page, supervisor] = await Promise.all([
    signedIn(await createOwner(t)),
    signedIn(await createStaff(t, { role: 'SUPERVISOR', name: 'Sue' })),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await t?.stop();
});

const putLine = (ref: string, more: object) =>
  t.v1.ok('PUT', `/v1/tenants/shop/channels/${ref}`, {
    type: 'WHATSAPP',
    address: '+447700900123',
    provider_account_id: phoneNumberId,
    credentials: { access_token: ACCESS_TOKEN },
    ...more,
  });

async function signedIn(who: Credentials): Promise<Page> {
  const opened = await browser.open(t.baseUrl);
  opened.page.setDefaultTimeout(SHOWN_WITHIN_MS);
  await opened.page.clock.install();
  await signIn(opened.page, t.baseUrl, who);
  return opened.page;
}

async function open(path: string, on: Page = page): Promise<void> {
  await on.goto(`${t.baseUrl}${path}`);
  await settled(on);
}

async function openLine(name: string, on: Page = page): Promise<void> {
  await open(`${home}/lines`, on);
  await on.getByRole('row').filter({ hasText: name }).click();
  await on.getByRole('heading', { name: 'Connection to WhatsApp' }).waitFor();
}

const check = (name: string, on: Page = page) =>
  on.getByRole('dialog').getByRole('listitem').filter({ hasText: name });

test('a line shows what WhatsApp reports about it, and a token that stopped working', async () => {
  await openLine('WhatsApp sales');
  await check('Access token').getByText('WhatsApp accepts the access token.').waitFor();
  await check('Number').getByText('The number is 447700900123 with the verified name Corner Shop.').waitFor();
  await check('Calling').getByRole('img', { name: 'Works' }).waitFor();
  await check('Call button').getByRole('img', { name: 'Warning' }).waitFor();
  await check('Call button')
    .getByText(/^Show the call button/)
    .waitFor();
  await check('Webhooks').getByRole('img', { name: 'Not known' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);

  await page.getByRole('textbox', { name: 'Access token' }).fill('revoked');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog', { name: 'WhatsApp sales' }).waitFor({ state: 'detached' });
  await openLine('WhatsApp sales');
  await check('Access token').getByRole('img', { name: 'Does not work' }).waitFor();
  await check('Access token')
    .getByText(/save it in the line/)
    .waitFor();
  expect(await page.content()).not.toContain('revoked');
  await putLine('wa', { display_name: 'WhatsApp sales', inbound_queue_ref: 'sales' });
});

test('a customer is asked for the permission with the keyboard, and the answer is shown', async () => {
  await openLine('WhatsApp sales');
  await page.getByLabel('WhatsApp number or user ID').fill(address);
  await page.keyboard.press('Enter');
  await page.getByText('Not known', { exact: true }).last().waitFor();
  await page.getByRole('button', { name: 'Ask for permission' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Message').fill('May we call you about your order?');
  await page.getByRole('button', { name: 'Send request' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^The customer was asked on/).waitFor();

  t.meta.simulator.control.decidePermission(waId, 'accept', phoneNumberId);
  await pollsAgain(page);
  await page.getByText(/^This customer allows calls until/).waitFor();
});

test('a supervisor sees the connection and the permission, and cannot ask', async () => {
  await openLine('WhatsApp sales', supervisor);
  await check('Calling', supervisor).getByRole('img', { name: 'Works' }).waitFor();
  await supervisor.getByLabel('WhatsApp number or user ID').fill(userId);
  await supervisor.keyboard.press('Enter');
  await supervisor.getByText(/^This customer allows calls until/).waitFor();
  expect(await supervisor.getByRole('button', { name: 'Ask for permission' }).count()).toBe(0);
});

test('WhatsApp calls are marked as such, and a failed one says why', async () => {
  const callId = await refusedCall();
  await open(`${home}/calls`);
  const row = page.getByRole('row').filter({ hasText: `WhatsApp user ${userId}` });
  await row.getByRole('img', { name: 'WhatsApp' }).waitFor();
  await row.getByRole('link').click();
  await page.waitForURL((url) => url.pathname === `${home}/calls/${callId}`);
  await page.getByRole('heading', { name: `WhatsApp user ${userId}` }).waitFor();
  await page.getByText('WhatsApp response').waitFor();
  await page.getByText(/has not allowed calls from this number.*Error 138006\./).waitFor();
  await page.getByRole('heading', { name: 'Permission to call' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

/** In the database, because the simulated customer would have to refuse it. */
async function refusedCall(): Promise<number> {
  const channel = await t.db.channel.findFirstOrThrow({
    where: { providerAccountId: phoneNumberId },
    include: { tenant: true },
  });
  const { id } = await t.db.call.create({
    data: {
      consumerId: channel.tenant.consumerId,
      tenantId: channel.tenantId,
      direction: 'OUTBOUND',
      channelId: channel.id,
      channelRef: channel.ref,
      channelType: 'WHATSAPP',
      status: 'FAILED',
      customerAddress: userId,
      customerAddressType: 'WHATSAPP_USER',
      customerWithheld: false,
      terminationReason: 'PROVIDER_TRIGGER_FAILED',
      terminatedBy: 'PROVIDER',
      endedAt: new Date(),
      failureDetails: {
        sipStatus: null,
        sipReason: null,
        q850: null,
        providerCode: 138_006,
        message: 'The customer has not allowed calls from this number. Ask for the permission first.',
      },
    },
  });
  return id;
}
