import { Headphones, PhoneForwarded, Users } from 'lucide-react';
import { Button } from '../actions/Button.tsx';
import { CheckboxField } from '../forms/CheckboxField.tsx';
import { CodeField } from '../forms/CodeField.tsx';
import { ComboField } from '../forms/ComboField.tsx';
import { DateRangeField } from '../forms/DateRangeField.tsx';
import { FieldGroup } from '../forms/Field.tsx';
import { FileDrop } from '../forms/FileDrop.tsx';
import { Form, FormActions } from '../forms/Form.tsx';
import { MultiSelectField } from '../forms/MultiSelectField.tsx';
import { NumberField } from '../forms/NumberField.tsx';
import { PasswordField } from '../forms/PasswordField.tsx';
import { RadioCards } from '../forms/RadioCards.tsx';
import { SearchField } from '../forms/SearchField.tsx';
import { SegmentedControl } from '../forms/SegmentedControl.tsx';
import { SelectField } from '../forms/SelectField.tsx';
import { SwitchField } from '../forms/SwitchField.tsx';
import { TextField } from '../forms/TextField.tsx';
import { Controlled, ignore, LONG, narrow, show, type Story } from './support.tsx';

export default { title: 'Forms', ...narrow };

const queues = [
  { value: 'sales', label: 'Sales', note: '12 agents' },
  { value: 'support', label: 'Support', note: '30 agents' },
  { value: 'night', label: 'Night service', note: 'No agents', disabled: true },
  { value: 'long', label: LONG },
];

const fields = (
  <>
    <TextField
      name="name"
      label="Name"
      hint="Shown to agents when a call rings."
      required
      defaultValue="Sales"
    />
    <TextField name="url" label="URL" prefix="https://" placeholder="example.com/hooks" optional mono />
    <TextField name="note" label="Note" multiline optional />
    <NumberField
      name="wait"
      label="Maximum wait"
      min={0}
      max={3600}
      step={10}
      unit="seconds"
      defaultValue={120}
    />
    <SelectField name="strategy" label="Overflow queue" choices={queues} placeholder="Select a queue" />
    <ComboField name="queue" label="Queue" choices={queues} />
    <MultiSelectField name="members" label="Members" choices={queues} defaultValue={['sales', 'long']} />
    <PasswordField name="secret" label="Password" hint="At least 12 characters." />
  </>
);

export const AllFields: Story = show(() => (
  <Form onSubmit={ignore}>
    {fields}
    <FieldGroup title="If no one answers" hint="Applies to calls that reach the maximum wait.">
      <RadioCards
        name="then"
        label="Then"
        defaultValue="voicemail"
        choices={[
          {
            value: 'voicemail',
            label: 'Record a message',
            note: 'The caller hears the greeting.',
            icon: <Headphones aria-hidden />,
          },
          {
            value: 'forward',
            label: 'Forward',
            note: 'The call is forwarded to another number.',
            icon: <PhoneForwarded aria-hidden />,
          },
          {
            value: 'queue',
            label: 'Another queue',
            note: 'There is no other queue yet.',
            icon: <Users aria-hidden />,
            disabled: true,
          },
        ]}
      />
      <CheckboxField
        name="announce"
        label="Announce position in queue"
        hint="Every 30 seconds."
        defaultChecked
      />
      <SwitchField
        name="record"
        label="Record calls"
        hint="The customer and the agent are recorded. Recordings are kept for 90 days."
        defaultChecked
      />
    </FieldGroup>
    <FormActions>
      <Button tone="accent" type="submit">
        Save
      </Button>
      <Button>Cancel</Button>
    </FormActions>
  </Form>
));

export const WithErrors: Story = show(() => (
  <Form
    onSubmit={ignore}
    errors={{
      '': 'Two members of this queue no longer exist. Select others and save again.',
      name: 'Another queue has this name.',
      url: 'This URL does not respond.',
      wait: 'At most 3600 seconds.',
      strategy: 'Select a queue.',
      members: 'At most 50 members.',
    }}
  >
    {fields}
    <FormActions>
      <Button tone="accent" type="submit" busy>
        Saving
      </Button>
    </FormActions>
  </Form>
));

/** The server rejects the input. */
export const Refused: Story = show(() => (
  <Controlled<Record<string, string>> initial={{}}>
    {(errors, set) => (
      <Form errors={errors} onSubmit={() => set({ address: 'Another agent has this address.' })}>
        <TextField name="name" label="Name" defaultValue="Grace Hopper" />
        <TextField name="address" label="Address" defaultValue="grace@example.com" />
        <Button tone="accent" type="submit">
          Invite
        </Button>
      </Form>
    )}
  </Controlled>
));

export const Disabled: Story = show(() => (
  <Form onSubmit={ignore}>
    <TextField name="name" label="Name" disabled defaultValue="Sales" suffix="@example.com" />
    <NumberField name="wait" label="Maximum wait" disabled defaultValue={120} unit="seconds" />
    <SelectField name="strategy" label="Overflow queue" choices={queues} disabled defaultValue="long" />
    <ComboField name="queue" label="Queue" choices={queues} disabled defaultValue="sales" />
    <MultiSelectField name="members" label="Members" choices={queues} disabled defaultValue={['sales']} />
    <RadioCards
      name="then"
      label="Then"
      disabled
      defaultValue="a"
      columns={2}
      choices={[
        { value: 'a', label: 'Wait' },
        { value: 'b', label: 'End' },
      ]}
    />
    <CheckboxField name="c" label="Announce position in queue" disabled />
    <SwitchField name="s" label="Record calls" disabled />
    <FileDrop label="List of agents" accept=".csv" maxBytes={1_000_000} disabled onFile={ignore} />
  </Form>
));

export const SelectOpen: Story = {
  ...show(() => <SelectField name="s" label="Queue" choices={queues} defaultValue="sales" />),
  play: async ({ canvas, userEvent }) => userEvent.click(await canvas.findByRole('combobox')),
};

export const ComboOpen: Story = {
  ...show(() => <ComboField name="c" label="Queue" choices={queues} />),
  play: async ({ canvas, userEvent }) => userEvent.type(await canvas.findByRole('combobox'), 's'),
};

export const ComboNothingFound: Story = {
  ...show(() => <ComboField name="c" label="Queue" choices={queues} emptyText="No matching queue" />),
  play: async ({ canvas, userEvent }) => userEvent.type(await canvas.findByRole('combobox'), 'xyz'),
};

export const ComboSearching: Story = {
  ...show(() => <ComboField name="c" label="Queue" choices={[]} onSearch={ignore} busy />),
  play: async ({ canvas, userEvent }) => userEvent.type(await canvas.findByRole('combobox'), 's'),
};

export const MultiOpen: Story = {
  ...show(() => <MultiSelectField name="m" label="Members" choices={queues} defaultValue={['sales']} />),
  play: async ({ canvas, userEvent }) => userEvent.click(await canvas.findByRole('combobox')),
};

export const OneTimeCode: Story = show(() => (
  <Form onSubmit={ignore} errors={{ second: 'The code is incorrect. Enter the current code from your app.' }}>
    <CodeField
      name="first"
      label="Code from your authenticator app"
      hint="Six digits. The code changes every 30 seconds."
    />
    <CodeField name="second" label="Code from your authenticator app" />
  </Form>
));

export const Files: Story = show(() => (
  <div className="flex flex-col gap-5">
    <FileDrop label="Add audio" accept="audio/*" maxBytes={20_000_000} onFile={ignore} />
    <FileDrop
      label="List of agents"
      hint="A CSV file with a header row"
      accept=".csv"
      maxBytes={1_000_000}
      onFile={ignore}
      refuse={({ name }) => (name.endsWith('.xlsx') ? 'Save the workbook as CSV first.' : undefined)}
      error="Line 4 has no address. Correct the file and select it again."
    />
  </div>
));

export const Search: Story = show(() => (
  <div className="flex flex-col gap-4">
    <Controlled initial="">
      {(value, set) => <SearchField label="Find agents" value={value} onChange={set} />}
    </Controlled>
    <Controlled initial="Ada">
      {(value, set) => <SearchField label="Find agents" value={value} onChange={set} />}
    </Controlled>
  </div>
));

export const Segments: Story = show(() => (
  <Controlled initial="day">
    {(value, set) => (
      <SegmentedControl
        label="Step"
        value={value}
        onChange={set}
        choices={[
          { value: 'hour', label: 'Hour' },
          { value: 'day', label: 'Day' },
          { value: 'week', label: 'Week' },
        ]}
      />
    )}
  </Controlled>
));

const presets = [
  { label: 'Today', from: '2026-11-21', to: '2026-11-21' },
  { label: 'Last 7 days', from: '2026-11-15', to: '2026-11-21' },
  { label: 'This month', from: '2026-11-01', to: '2026-11-21' },
];

export const Period: Story = show(() => (
  <div className="flex flex-wrap gap-3">
    <DateRangeField from="2026-11-15" to="2026-11-21" presets={presets} onChange={ignore} />
    <DateRangeField from="2026-10-03" to="2026-11-20" presets={presets} onChange={ignore} />
  </div>
));

export const PeriodOpen: Story = {
  ...show(() => (
    <Controlled initial={{ from: '2026-11-15', to: '2026-11-21' }}>
      {(value, set) => <DateRangeField {...value} presets={presets} onChange={set} />}
    </Controlled>
  )),
  play: async ({ canvas, userEvent }) => userEvent.click(await canvas.findByRole('button')),
};
