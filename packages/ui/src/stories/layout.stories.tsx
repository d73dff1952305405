import { Plus } from 'lucide-react';
import { Button } from '../actions/Button.tsx';
import { Badge } from '../data/Badge.tsx';
import { Stat, StatRow } from '../data/Stat.tsx';
import { Form } from '../forms/Form.tsx';
import { TextField } from '../forms/TextField.tsx';
import { Card } from '../layout/Card.tsx';
import { ConfirmDialog } from '../layout/ConfirmDialog.tsx';
import { DescriptionList } from '../layout/DescriptionList.tsx';
import { Dialog, Drawer } from '../layout/Dialog.tsx';
import { Disclosure } from '../layout/Disclosure.tsx';
import { Page } from '../layout/Page.tsx';
import { Section } from '../layout/Section.tsx';
import { Grid, Split, Stack } from '../layout/Stack.tsx';
import { Steps } from '../layout/Steps.tsx';
import { TabLinks, Tabs } from '../layout/Tabs.tsx';
import { Controlled, full, ignore, LONG, show, type Story } from './support.tsx';

export default { title: 'Layout', ...full };

const facts = (
  <DescriptionList
    items={[
      { term: 'ID', value: 'queue_01JD8K2', copy: 'queue_01JD8K2' },
      { term: 'Strategy', value: 'Longest idle first' },
      { term: 'Description', value: LONG },
      { term: 'Overflow', value: null },
    ]}
  />
);

export const WholePage: Story = show(() => (
  <Page
    title="Sales"
    mark={
      <Badge tone="positive" dot>
        Open
      </Badge>
    }
    description="Calls to the shop's number, offered to the agent who has been idle longest."
    back={{ label: 'Queues', href: '#queues' }}
    actions={
      <>
        <Button>Pause</Button>
        <Button tone="accent" icon={<Plus className="size-4" aria-hidden />}>
          Add agents
        </Button>
      </>
    }
  >
    <StatRow>
      <Stat label="Waiting" value="3" hint="Longest wait: 42 s" />
      <Stat
        label="Answered today"
        value="128"
        trend={{ direction: 'up', text: '12% more than yesterday', tone: 'positive' }}
      />
      <Stat
        label="Abandoned"
        value="4.1%"
        tone="warning"
        trend={{ direction: 'up', text: '1.2 points more than yesterday', tone: 'negative' }}
      />
      <Stat label="Average wait" value="18 s" trend={{ direction: 'flat', text: 'Same as yesterday' }} />
    </StatRow>
    <Split aside={<Section title="Facts">{facts}</Section>}>
      <Section
        title="Members"
        description="The agents who answer calls from this queue."
        actions={<Button size="sm">Edit</Button>}
      >
        <Card>Twelve agents</Card>
      </Section>
      <Section title="Hours">
        <Grid minWidth={12}>
          <Card>Monday to Friday</Card>
          <Card>Saturday</Card>
          <Card>Holidays</Card>
        </Grid>
      </Section>
    </Split>
  </Page>
));

export const LongText: Story = show(() => (
  <Page
    title={LONG}
    description={`${LONG}. ${LONG}.`}
    back={{ label: LONG, href: '#back' }}
    actions={<Button>Edit</Button>}
  >
    <Section title={LONG}>{facts}</Section>
    <Stack row gap="sm">
      <Button>One</Button>
      <Button>Two</Button>
    </Stack>
  </Page>
));

const tabs = [
  { value: 'calls', label: 'Calls', content: "Today's calls." },
  {
    value: 'agents',
    label: (
      <>
        Agents <Badge>12</Badge>
      </>
    ),
    content: 'The agents.',
  },
  { value: 'hours', label: 'Opening hours', content: 'The hours.' },
  { value: 'audio', label: 'Audio and music', content: 'The audio assets.' },
];

export const TabsOfContent: Story = show(() => (
  <div className="p-4 text-md text-ink sm:p-8">
    <Tabs label="Queue" tabs={tabs} />
    <div className="mt-8">
      <TabLinks
        label="Settings"
        current="#keys"
        links={[
          { href: '#account', label: 'Account' },
          { href: '#keys', label: 'API keys' },
          { href: '#hooks', label: 'Webhooks' },
        ]}
      />
    </div>
  </div>
));

const form = (
  <Form onSubmit={ignore}>
    <TextField name="name" label="Name" />
    <TextField name="note" label="Note" multiline optional />
  </Form>
);
const footer = (
  <>
    <Button>Cancel</Button>
    <Button tone="accent">Add</Button>
  </>
);

const steps = ['Carrier', 'Connection', 'Source addresses', 'Numbers', 'Review'];

export const StepsOfTask: Story = show(() => (
  <div className="flex flex-col gap-8 p-4 text-ink sm:p-8">
    <Controlled initial={2}>
      {(current, set) => <Steps label="Add a trunk" steps={steps} current={current} onStep={set} />}
    </Controlled>
    <Steps label="Import" steps={['Upload', LONG]} current={1} />
  </div>
));

export const Disclosures: Story = show(() => (
  <Controlled initial={{}}>
    {(errors: Record<string, string>, set) => (
      <Form
        className="p-4 text-ink sm:p-8"
        errors={errors}
        onSubmit={() => set({ port: 'Must be at most 65535.' })}
      >
        <Disclosure title="Codecs" hint="G.711 unless you choose others." mark={<Badge>2 changed</Badge>}>
          <TextField name="codecs" label="Codecs" defaultValue="PCMA" />
        </Disclosure>
        <Disclosure title="More addresses" hint={LONG} openWhen={'port' in errors}>
          <TextField name="port" label="Port" defaultValue="70000" />
        </Disclosure>
        <Button type="submit">Save</Button>
      </Form>
    )}
  </Controlled>
));

export const DialogOpen: Story = show(() => (
  <Dialog
    open
    onOpenChange={ignore}
    title="Add a queue"
    description="Calls wait in a queue until an agent is available."
    footer={footer}
  >
    {form}
  </Dialog>
));

export const DialogLong: Story = show(() => (
  <Dialog open onOpenChange={ignore} title={LONG} size="sm" footer={footer}>
    {Array.from({ length: 30 }, (_, line) => (
      <p key={line}>Line {line + 1} of many.</p>
    ))}
  </Dialog>
));

export const DrawerOpen: Story = show(() => (
  <Drawer open onOpenChange={ignore} title="Call from +44 20 7183 8750" footer={<Button>Close</Button>}>
    {facts}
  </Drawer>
));

export const Confirm: Story = show(() => (
  <ConfirmDialog
    open
    onOpenChange={ignore}
    title="End this call?"
    confirmLabel="End call"
    tone="negative"
    onConfirm={ignore}
  >
    Both sides are disconnected immediately.
  </ConfirmDialog>
));

export const ConfirmByTyping: Story = show(() => (
  <ConfirmDialog
    open
    onOpenChange={ignore}
    title="Delete the tenant Acme Telephones?"
    confirmLabel="Delete tenant"
    tone="negative"
    typeToConfirm="acme-telephones"
    onConfirm={ignore}
  >
    Its 12 queues, 340 agents and all recordings are deleted within a day. This cannot be undone.
  </ConfirmDialog>
));

export const ConfirmBusy: Story = show(() => (
  <ConfirmDialog
    open
    busy
    onOpenChange={ignore}
    title="Send the invoice?"
    confirmLabel="Send"
    onConfirm={ignore}
  >
    It is sent to three addresses.
  </ConfirmDialog>
));
