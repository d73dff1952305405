/** The navigation, by role and selected tenant. Add new pages here. */
import type { NavGroup, NavItem } from '@clarion/ui';
import type { EndpointRole } from '@clarion/protocol/v1/endpoint';
import {
  AudioLines,
  Bell,
  Building2,
  ChartNoAxesColumn,
  CodeXml,
  Coins,
  Disc,
  Hash,
  Headphones,
  House,
  KeyRound,
  Landmark,
  ListTree,
  MonitorDot,
  Network,
  Phone,
  PhoneCall,
  PhoneIncoming,
  CircleDollarSign,
  ReceiptText,
  Route,
  ScrollText,
  Users,
  UsersRound,
  Wallet,
  Webhook,
} from 'lucide-react';
import type { SignedIn } from './me.tsx';

/** `launchedRole`: the role that a launched user needs instead. */
type Item = NavItem & { role: EndpointRole; launchedRole?: EndpointRole };

export const tenantHome = (tenantRef: string) => `/app/t/${encodeURIComponent(tenantRef)}`;

function tenantItems(tenantRef: string): { watch: Item[]; setUp: Item[] } {
  const at = (page: string) => `${tenantHome(tenantRef)}/${page}`;
  return {
    watch: [
      { href: at('live'), label: 'Live board', icon: <MonitorDot />, role: 'view' },
      { href: at('calls'), label: 'Calls', icon: <PhoneCall />, role: 'view' },
      { href: at('reports'), label: 'Reports', icon: <ChartNoAxesColumn />, role: 'supervise' },
    ],
    setUp: [
      { href: at('agents'), label: 'Agents', icon: <Headphones />, role: 'view' },
      { href: at('queues'), label: 'Queues', icon: <UsersRound />, role: 'view' },
      { href: at('lines'), label: 'Lines', icon: <PhoneIncoming />, role: 'view' },
      { href: at('flows'), label: 'IVR flows', icon: <ListTree />, role: 'view' },
      { href: at('audio'), label: 'Audio', icon: <AudioLines />, role: 'view' },
      { href: at('phone'), label: 'Agent phone', icon: <Phone />, role: 'manage' },
      { href: at('billing'), label: 'Billing', icon: <Wallet />, role: 'own', launchedRole: 'view' },
    ],
  };
}

/** Everyone sees the numbers of the tenants that they may see. */
const numbersItem: Item = { href: '/app/numbers', label: 'Numbers', icon: <Hash />, role: 'view' };
const accountItems: Item[] = [
  { href: '/app/tenants', label: 'Tenants', icon: <Building2 />, role: 'view' },
  { href: '/app/users', label: 'People', icon: <Users />, role: 'own' },
  { href: '/app/keys', label: 'Keys', icon: <KeyRound />, role: 'own' },
  { href: '/app/webhook', label: 'Webhook', icon: <Webhook />, role: 'own' },
  { href: '/app/push', label: 'Push notifications', icon: <Bell />, role: 'own' },
  { href: '/app/recording', label: 'Recording', icon: <Disc />, role: 'own' },
  { href: '/app/embed', label: 'Embedding', icon: <CodeXml />, role: 'own' },
  { href: '/app/trunks', label: 'SIP trunks', icon: <Network />, role: 'provision' },
  numbersItem,
  { href: '/app/billing', label: 'Account billing', icon: <Landmark />, role: 'own' },
];
const pricesItems: Item[] = [
  { href: '/app/prices/decks', label: 'Rate decks', icon: <CircleDollarSign />, role: 'own' },
  { href: '/app/prices/plans', label: 'Price plans', icon: <ReceiptText />, role: 'own' },
  { href: '/app/prices/usage', label: 'Usage', icon: <Coins />, role: 'own' },
  { href: '/app/prices/route', label: 'Route preview', icon: <Route />, role: 'own' },
];
const auditItem: Item = { href: '/app/audit', label: 'Audit log', icon: <ScrollText />, role: 'manage' };

export function navigation(me: SignedIn, tenantRef: string | null): NavGroup[] {
  const isLaunched = me.kind === 'LAUNCHED';
  const allowed = (items: Item[]) =>
    items.filter(({ role, launchedRole = role }) => me.may(isLaunched ? launchedRole : role)).map(toNavItem);
  const tenant = tenantRef === null ? null : tenantItems(tenantRef);
  const account = me.kind === 'STAFF' ? [...accountItems, auditItem] : [numbersItem, auditItem];
  return [
    { items: [{ href: '/app', label: 'Home', icon: <House /> }] },
    ...(tenant
      ? [
          { label: 'Watch', items: allowed(tenant.watch) },
          { label: 'Set up', items: allowed(tenant.setUp) },
        ]
      : []),
    { label: 'Prices', items: me.kind === 'STAFF' ? allowed(pricesItems) : [] },
    { label: 'Account', items: allowed(account) },
  ].filter(({ items }) => items.length > 0);
}

const toNavItem = ({ href, label, icon, soon = false }: Item): NavItem => ({ href, label, icon, soon });
