/** All pages of the dashboard from the file tree, and an independent list of who may see them. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../../../apps/web/app/app');

export interface DashboardPage {
  /** `/app/t/[tenantRef]/queues` */
  path: string;
  source: string;
}

/** The pages by their paths, without route groups. */
export function pagesInTree(): DashboardPage[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /(^|\/)page\.tsx$/.test(file))
    .map((file) => ({
      path: `/app/${file.replace(/(^|\/)page\.tsx$/, '')}`.replaceAll(/\/\([^)]*\)/g, '').replace(/\/$/, ''),
      source: readFileSync(join(ROOT, file), 'utf8'),
    }))
    .toSorted((a, b) => a.path.localeCompare(b.path));
}

/** `own`: only owners. `account`: not for people who were launched into one tenant. */
export interface Rule {
  role: 'view' | 'supervise' | 'manage' | 'provision' | 'own';
  account?: true;
  /** Of people who were launched into one tenant; absent: `role`. */
  launchedRole?: Rule['role'];
}

/** Pages without sign-in. What they show requires a secret of their own. */
export const OPEN = new Set([
  '/app/sign-in',
  '/app/forgot-password',
  '/app/reset-password',
  '/app/invitation',
  '/app/launch',
  '/app/inbox',
]);
/** Tested separately: the page for people who must set up two-factor authentication, and the page for unknown paths. */
export const SPECIAL = new Set(['/app/two-factor', '/app/[...missing]']);

export const RULES: Record<string, Rule> = {
  '/app': { role: 'view' },
  '/app/account': { role: 'view', account: true },
  '/app/audit': { role: 'manage' },
  '/app/billing': { role: 'own', account: true },
  '/app/embed': { role: 'own', account: true },
  '/app/keys': { role: 'own', account: true },
  '/app/numbers': { role: 'view' },
  '/app/prices/decks': { role: 'own', account: true },
  '/app/prices/decks/[deckId]': { role: 'own', account: true },
  '/app/prices/decks/[deckId]/import': { role: 'own', account: true },
  '/app/prices/plans': { role: 'own', account: true },
  '/app/prices/plans/new': { role: 'own', account: true },
  '/app/prices/plans/[planId]': { role: 'own', account: true },
  '/app/prices/route': { role: 'own', account: true },
  '/app/prices/usage': { role: 'own', account: true },
  '/app/push': { role: 'own', account: true },
  '/app/recording': { role: 'own', account: true },
  '/app/tenants': { role: 'view', account: true },
  '/app/trunks': { role: 'provision', account: true },
  '/app/trunks/new': { role: 'provision', account: true },
  '/app/trunks/[trunkId]': { role: 'provision', account: true },
  '/app/users': { role: 'own', account: true },
  '/app/webhook': { role: 'own', account: true },
  '/app/t/[tenantRef]/agents': { role: 'view' },
  '/app/t/[tenantRef]/audio': { role: 'view' },
  '/app/t/[tenantRef]/billing': { role: 'own', launchedRole: 'view' },
  '/app/t/[tenantRef]/calls': { role: 'view' },
  '/app/t/[tenantRef]/calls/[callId]': { role: 'view' },
  '/app/t/[tenantRef]/flows': { role: 'view' },
  '/app/t/[tenantRef]/flows/[flowRef]': { role: 'view' },
  '/app/t/[tenantRef]/lines': { role: 'view' },
  '/app/t/[tenantRef]/live': { role: 'view' },
  '/app/t/[tenantRef]/phone': { role: 'manage' },
  '/app/t/[tenantRef]/queues': { role: 'view' },
  '/app/t/[tenantRef]/queues/[queueRef]': { role: 'view' },
  '/app/t/[tenantRef]/reports': { role: 'supervise' },
};

/** The path for this tenant. The other resources need not exist: the page then shows the error of `/v1`. */
export const addressOf = (path: string, tenantRef: string): string =>
  path
    .replace('[tenantRef]', tenantRef)
    .replace('[callId]', '1')
    .replaceAll(/\[\w+\]/g, 'something');

const MAY = {
  OWNER: ['view', 'supervise', 'manage', 'provision', 'own'],
  ADMIN: ['view', 'supervise', 'manage', 'provision'],
  SUPERVISOR: ['view', 'supervise'],
} satisfies Record<string, Rule['role'][]>;

export const people = [
  'anonymous',
  'OWNER',
  'ADMIN',
  'SUPERVISOR',
  'launched ADMIN',
  'launched SUPERVISOR',
] as const;
export type Who = (typeof people)[number];

export function maySee(who: Who, { role, account, launchedRole = role }: Rule): boolean {
  if (who === 'anonymous') return false;
  const isLaunched = who.startsWith('launched ');
  if (isLaunched && account) return false;
  const roles: readonly Rule['role'][] = MAY[who.replace('launched ', '') as keyof typeof MAY];
  return roles.includes(isLaunched ? launchedRole : role);
}

/** The name of a page's component is in every response that renders it, and in no other. */
const components = new Map(
  pagesInTree().map(({ path, source }) => [path, /return <(\w+)/.exec(source)?.[1] ?? '']),
);
export const renderedBy = (path: string): string => components.get(path) || `no component in ${path}`;
