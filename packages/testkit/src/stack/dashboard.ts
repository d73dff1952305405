/** Dashboard users: creates them and signs them in with a real browser. */
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import type { TestStack } from './stack.ts';

export interface Credentials {
  email: string;
  password: string;
}
export type Role = 'OWNER' | 'ADMIN' | 'SUPERVISOR';

const SIGN_IN_WITHIN_MS = 30_000;
/** The longest interval in which a page of the dashboard polls. */
const LONGEST_POLL_MS = 20_000;

/** Waits for hydration, after which the first field has the focus. Input before that would be lost. */
export const signInIsReady = (page: Page): Promise<unknown> =>
  page.locator('input[name=email]:focus').waitFor();

/** Waits until the page has its heading, has loaded all data, and its controls respond: before hydration, a click would be lost. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => {
    const isHydrated = (element: Element) => Object.keys(element).some((key) => key.startsWith('__react'));
    const controls = [...document.querySelectorAll('main button, main input, main textarea')];
    return !document.querySelector('main .cl-skeleton, main [aria-busy=true]') && controls.every(isHydrated);
  });
}

/** Signs in through the sign-in page. Resolves when a page of the dashboard is shown. */
export async function signIn(
  page: Page,
  baseUrl: string,
  { email, password }: Credentials,
  { to = '/app' }: { to?: string } = {},
): Promise<void> {
  await page.goto(`${baseUrl}/app/sign-in`);
  await signInIsReady(page);
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname === '/app', { timeout: SIGN_IN_WITHIN_MS });
  if (to !== '/app') await page.goto(`${baseUrl}${to}`);
}

/**
 * Moves the clock of a page beyond its next poll, so that it reads again at once what it polls. `page.clock.install()` must have been
 * called before the page was loaded.
 */
export const pollsAgain = (page: Page): Promise<void> => page.clock.fastForward(LONGEST_POLL_MS);

/** Creates a dashboard user of the account with the operator's command line. */
export async function createStaff(
  stack: Pick<TestStack, 'clarion' | 'account'>,
  { slug = stack.account.slug, role = 'OWNER' as Role, name = 'Olivia Owner' } = {},
): Promise<Credentials & { id: number }> {
  const email = `${role.toLowerCase()}-${randomBytes(4).toString('hex')}@${slug}.test`;
  const password = randomBytes(12).toString('base64url');
  const args = ['staff', 'create', '--consumer', slug, '--email', email, '--name', name, '--role', role];
  const { id } = await stack.clarion<{ id: number }>([...args, '--password-stdin'], password);
  return { id, email, password };
}

export const createOwner = (
  stack: Pick<TestStack, 'clarion' | 'account'>,
  slug?: string,
): Promise<Credentials & { id: number }> => createStaff(stack, { ...(slug !== undefined && { slug }) });
