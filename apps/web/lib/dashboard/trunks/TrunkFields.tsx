'use client';

import {
  Badge,
  Button,
  NumberField,
  PasswordField,
  RadioCards,
  SelectField,
  SwitchField,
  TextField,
  TextLink,
} from '@clarion/ui';
import { useState } from 'react';
import { splitSources } from './source-list.ts';
import {
  DEFAULT_PORT,
  DEFAULT_TLS_PORT,
  type Authentication,
  type CarrierTemplate,
  type TrunkDraft,
} from './trunk-draft.ts';

export interface TrunkFieldsProps {
  draft: TrunkDraft;
  change(changes: Partial<TrunkDraft>): void;
}

const MAX_PORT = 65_535;
const MAX_SOURCES = 20;

const transports = [
  { value: 'UDP', label: 'UDP', note: 'The most common.' },
  { value: 'TCP', label: 'TCP', note: 'For long messages and strict firewalls.' },
  { value: 'TLS', label: 'TLS', note: 'Encrypted, usually on port 5061. Needed to encrypt the audio.' },
];

/** Where outbound calls go. */
export function ConnectionFields({ draft, change }: TrunkFieldsProps) {
  return (
    <>
      <TextField
        name="host"
        label="Host"
        mono
        placeholder="sip.carrier.example"
        hint="The host name or IP address of the carrier’s SIP server, to which outbound calls go. Carriers also call it SIP proxy, registrar or domain."
        value={draft.host}
        onValueChange={(host) => change({ host })}
        required
      />
      <div className="grid items-start gap-5 sm:grid-cols-2">
        <SelectField
          name="transport"
          label="Transport"
          choices={transports}
          value={draft.transport}
          onValueChange={(value) => {
            const transport = value as TrunkDraft['transport'];
            change({ transport, ...portOf(draft, transport) });
          }}
        />
        <NumberField
          name="port"
          label="Port"
          min={1}
          max={MAX_PORT}
          format={{ useGrouping: false }}
          value={draft.port}
          onValueChange={(port) => change({ port })}
        />
      </div>
    </>
  );
}

/** The usual port of the transport, unless another one was entered. */
function portOf({ port }: TrunkDraft, transport: TrunkDraft['transport']): Partial<TrunkDraft> {
  if (transport === 'TLS' && port === DEFAULT_PORT) return { port: DEFAULT_TLS_PORT };
  if (transport !== 'TLS' && port === DEFAULT_TLS_PORT) return { port: DEFAULT_PORT };
  return {};
}

const authentications: { value: Authentication; label: string; note: string }[] = [
  {
    value: 'address',
    label: 'By our address',
    note: 'The carrier allows the IP address of this service. No username is needed.',
  },
  {
    value: 'credentials',
    label: 'Username and password',
    note: 'The carrier asks for them on each call, and sends calls to a fixed address.',
  },
  {
    value: 'register',
    label: 'Registration',
    note: 'This service registers with the carrier, which then sends calls to wherever it is registered.',
  },
];

interface AuthenticationFieldsProps extends TrunkFieldsProps {
  /** Credentials are stored. They are never shown. */
  hasCredentials?: boolean;
}

/** How the carrier recognises this service. */
export function AuthenticationFields({ draft, change, hasCredentials = false }: AuthenticationFieldsProps) {
  const [replacing, setReplacing] = useState(false);
  const stored = hasCredentials && !replacing;
  return (
    <>
      <RadioCards
        name="register"
        label="How the carrier authenticates this service"
        columns={3}
        choices={authentications}
        value={draft.authentication}
        onValueChange={(authentication) => change({ authentication: authentication as Authentication })}
      />
      {draft.authentication === 'address' ? (
        hasCredentials && (
          <p className="text-md text-warning">The stored username and password are removed when you save.</p>
        )
      ) : stored ? (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-md">
          <span className="flex items-center gap-2">
            Username and password
            <Badge tone="positive" dot>
              Set
            </Badge>
          </span>
          <span className="flex gap-2">
            <Button size="sm" onClick={() => setReplacing(true)}>
              Replace
            </Button>
            <Button size="sm" tone="plain" onClick={() => change({ authentication: 'address' })}>
              Remove
            </Button>
          </span>
          <p className="basis-full text-sm text-muted">They are stored encrypted and never shown.</p>
        </div>
      ) : (
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <TextField
            name="username"
            label="Username"
            mono
            autoComplete="off"
            hint={hasCredentials ? 'Leave empty to keep the stored ones.' : 'From your carrier.'}
            value={draft.username}
            onValueChange={(username) => change({ username })}
          />
          <PasswordField
            name="password"
            label="Password"
            autoComplete="off"
            hint="It is stored encrypted and never shown again."
            value={draft.password}
            onValueChange={(password) => change({ password })}
          />
        </div>
      )}
    </>
  );
}

interface SourceFieldsProps extends TrunkFieldsProps {
  /** The template that the trunk may follow. */
  template: CarrierTemplate | null;
}

/** From where the carrier sends calls. */
export function SourceFields({ draft, change, template }: SourceFieldsProps) {
  const count = splitSources(draft.sources).length;
  const canFollow = template !== null && template.inboundSourceCidrs.length > 0;
  return (
    <>
      {canFollow && (
        <SwitchField
          name="follow_template"
          label={`Use the addresses of ${template.name}`}
          hint="When the carrier adds an address, the operator updates the template, and this trunk follows it."
          checked={draft.followTemplate}
          onCheckedChange={(followTemplate) =>
            change({ followTemplate, sources: template.inboundSourceCidrs.join('\n') })
          }
        />
      )}
      {canFollow && draft.followTemplate ? (
        <ul aria-label="Source addresses" className="flex flex-wrap gap-2">
          {template.inboundSourceCidrs.map((source) => (
            <li key={source}>
              <code className="rounded-md bg-pressed px-2 py-0.5 font-mono text-sm">{source}</code>
            </li>
          ))}
        </ul>
      ) : (
        <TextField
          name="inbound_source_cidrs"
          label="Source addresses"
          multiline={4}
          mono
          placeholder={'198.41.0.4\n198.41.0.64/28'}
          hint={
            <>
              Every address from which the carrier sends calls (signalling), not only the one above: paste
              them separated by commas, spaces or line breaks. Calls from other addresses are rejected. At
              most {MAX_SOURCES} public addresses or ranges, none wider than /24 (IPv6: /48).{' '}
              <span className="font-medium text-ink" role="status">
                {count === 1 ? '1 address entered.' : `${count} addresses entered.`}
              </span>
            </>
          }
          value={draft.sources}
          onValueChange={(sources) => change({ sources })}
        />
      )}
    </>
  );
}

const EXAMPLE_DIGITS = '2071838750';

/** How the carrier writes numbers. */
export function NumberFormFields({ draft, change }: TrunkFieldsProps) {
  const { countryCode, nationalPrefix } = draft;
  return (
    <>
      <div className="grid items-start gap-5 sm:grid-cols-2">
        <TextField
          name="country_code"
          label="Country code"
          optional
          prefix="+"
          inputMode="numeric"
          placeholder="44"
          hint="If the carrier leaves it out of numbers of its own country."
          value={countryCode}
          onValueChange={(next) => change({ countryCode: next })}
        />
        <TextField
          name="national_prefix"
          label="National prefix"
          optional
          inputMode="numeric"
          placeholder="0"
          hint="The digit before national numbers, in most countries 0."
          value={nationalPrefix}
          onValueChange={(next) => change({ nationalPrefix: next })}
        />
      </div>
      <p className="text-md text-pretty text-muted" role="status">
        {countryCode.trim() === ''
          ? 'The carrier writes all numbers with their country code, for example 442071838750 or +442071838750.'
          : `The carrier may write ${nationalPrefix.trim()}${EXAMPLE_DIGITS}, which is read as +${countryCode.trim()}${EXAMPLE_DIGITS}. Numbers with a country code are read as they are.`}{' '}
        <TextLink href="/docs/guides/sip-trunks">More about numbers</TextLink>
      </p>
    </>
  );
}
