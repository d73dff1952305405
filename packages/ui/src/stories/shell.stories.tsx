import { BarChart3, Gauge, Headphones, LogOut, Phone, Search, Settings, Users, Workflow } from 'lucide-react';
import { Button } from '../actions/Button.tsx';
import { IconButton } from '../actions/IconButton.tsx';
import { Menu } from '../actions/Menu.tsx';
import { TextLink } from '../actions/TextLink.tsx';
import { Avatar } from '../data/Avatar.tsx';
import { Badge } from '../data/Badge.tsx';
import { Notice } from '../feedback/Notice.tsx';
import { Form } from '../forms/Form.tsx';
import { PasswordField } from '../forms/PasswordField.tsx';
import { TextField } from '../forms/TextField.tsx';
import { Card } from '../layout/Card.tsx';
import { Page } from '../layout/Page.tsx';
import { AppShell, type NavGroup } from '../shell/AppShell.tsx';
import { AuthCard } from '../shell/AuthCard.tsx';
import { CommandMenu } from '../on-demand/overlays.tsx';
import { TenantSwitcher } from '../shell/TenantSwitcher.tsx';
import { ThemeSwitch } from '../shell/ThemeSwitch.tsx';
import { Controlled, full, ignore, LONG, show, type Story } from './support.tsx';

export default { title: 'Shell', ...full };

const nav: NavGroup[] = [
  {
    items: [
      { href: '/overview', label: 'Overview', icon: <Gauge aria-hidden /> },
      { href: '/calls', label: 'Calls', icon: <Phone aria-hidden />, badge: <Badge tone="accent">3</Badge> },
    ],
  },
  {
    label: 'Setup',
    items: [
      { href: '/queues', label: 'Queues', icon: <Users aria-hidden /> },
      { href: '/agents', label: 'Agents', icon: <Headphones aria-hidden /> },
      { href: '/flows', label: 'Call flows', icon: <Workflow aria-hidden />, soon: true },
    ],
  },
  {
    label: 'Account',
    items: [
      { href: '/reports', label: 'Reports', icon: <BarChart3 aria-hidden /> },
      { href: '/settings', label: 'Settings', icon: <Settings aria-hidden /> },
    ],
  },
];
const tenants = [
  { value: 'acme', label: 'Acme Telephones', note: 'acme' },
  { value: 'long', label: LONG, note: 'long' },
  { value: 'zeta', label: 'Zeta', note: 'zeta' },
];
const brand = <span className="text-base font-semibold tracking-tight">Clarion</span>;
const account = (
  <Menu
    label="Account"
    side="top"
    align="start"
    trigger={
      <Button tone="plain" className="w-full justify-start! px-2!">
        <Avatar name="Grace Hopper" size="sm" />
        <span className="truncate">Grace Hopper</span>
      </Button>
    }
    items={[{ label: 'Sign out', icon: <LogOut aria-hidden />, onSelect: ignore }]}
  />
);
const shell = (
  <AppShell
    brand={brand}
    nav={nav}
    current="/queues/17"
    account={account}
    top={<TenantSwitcher tenants={tenants} value="acme" onChange={ignore} />}
    tools={<IconButton label="Search" icon={<Search aria-hidden />} />}
  >
    <Page title="Queues" description="Calls wait in a queue until an agent is available.">
      <Card>The queues</Card>
    </Page>
  </AppShell>
);

export const Frame: Story = show(() => shell);

export const WithBanner: Story = show(() => (
  <AppShell
    brand={brand}
    nav={nav}
    current="/calls"
    account={account}
    banner={
      <Notice tone="warning" className="rounded-none" action={<Button size="sm">Stop</Button>}>
        You are acting for Acme Telephones. Your actions are recorded under your name.
      </Notice>
    }
  >
    <Page title="Calls">
      <Card>The calls</Card>
    </Page>
  </AppShell>
));

export const NavigationOpen: Story = {
  ...show(() => shell),
  play: async ({ canvas, userEvent }) => {
    // The button exists only on small screens.
    const menu = canvas.queryByRole('button', { name: 'Menu' });
    if (menu !== null) await userEvent.click(menu);
  },
};

export const TenantsOpen: Story = {
  ...show(() => (
    <div className="max-w-60 p-4">
      <TenantSwitcher
        tenants={tenants}
        value="acme"
        onChange={ignore}
        footer={<Button size="sm">All tenants</Button>}
      />
    </div>
  )),
  play: async ({ canvas, userEvent }) => userEvent.click(await canvas.findByRole('combobox')),
};

export const Theme: Story = show(() => (
  <div className="p-4">
    <Controlled<'system' | 'light' | 'dark'> initial="system">
      {(value, set) => <ThemeSwitch value={value} onChange={set} />}
    </Controlled>
  </div>
));

const commands = [
  {
    label: 'Go to',
    items: [
      { id: 'calls', label: 'Calls', icon: <Phone aria-hidden />, onSelect: ignore },
      { id: 'queues', label: 'Queues', icon: <Users aria-hidden />, onSelect: ignore },
    ],
  },
  {
    label: 'Tenants',
    items: [
      { id: 'acme', label: 'Acme Telephones', hint: 'acme', onSelect: ignore },
      { id: 'long', label: LONG, hint: LONG, onSelect: ignore },
    ],
  },
];

export const Commands: Story = show(() => <CommandMenu open onOpenChange={ignore} groups={commands} />);

export const CommandsNothingFound: Story = {
  ...show(() => <CommandMenu open onOpenChange={ignore} groups={commands} />),
  play: async ({ userEvent }) => userEvent.keyboard('xyz'),
};

export const SignIn: Story = show(() => (
  <AuthCard
    brand={brand}
    title="Sign in"
    description="Use the email address to which your invitation was sent."
    footer={
      <>
        No account yet? <TextLink href="#ask">Ask your administrator</TextLink>.
      </>
    }
  >
    <Form onSubmit={ignore} errors={{ '': 'Wrong email or password.' }}>
      <TextField name="email" label="Email" type="email" autoComplete="username" required />
      <PasswordField name="password" label="Password" required />
      <Button tone="accent" type="submit">
        Sign in
      </Button>
    </Form>
  </AuthCard>
));
