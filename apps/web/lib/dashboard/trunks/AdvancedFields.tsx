'use client';

/** Settings that most trunks leave as they are, folded. Each group opens when a field in it is invalid or asked for. */
import {
  Badge,
  ButtonLink,
  Disclosure,
  FieldGroup,
  MultiSelectField,
  SwitchField,
  TextField,
} from '@clarion/ui';
import { OptionalNumber } from '../edit/OptionalNumber.tsx';
import { DestinationFields } from './DestinationFields.tsx';
import { TechPrefixFields } from './TechPrefixFields.tsx';
import { quirkFields, type Codec, type Quirks } from './trunk-draft.ts';
import type { TrunkFieldsProps } from './TrunkFields.tsx';

const MAX_CALLS = { max: 10_000, start: 10 };
const MAX_CALLS_PER_SECOND = { max: 1_000, start: 1 };

interface AdvancedFieldsProps extends TrunkFieldsProps {
  /** The names of fields that are invalid, or that a link asked for. */
  wanted: readonly string[];
}

export function AdvancedFields({ draft, change, wanted }: AdvancedFieldsProps) {
  const has = (...names: string[]) => wanted.some((field) => names.some((name) => isIn(field, name)));
  const codecs = draft.codecs.length === 0 ? 'G.711' : draft.codecs.join(', ');
  return (
    <FieldGroup
      title="Advanced settings"
      hint="Most trunks leave these as they are. Open one if your carrier mentions it."
      className="gap-0! border-b pb-0 [&>div:first-child]:pb-3"
    >
      <Disclosure
        title="More addresses of the carrier"
        hint="Other servers of the carrier, for outbound calls when the first one does not respond."
        mark={draft.destinations.length > 0 && <Badge>{draft.destinations.length}</Badge>}
        openWhen={has('destinations', 'quirks.use_srv')}
      >
        <DestinationFields draft={draft} change={change} />
        <QuirkSwitch
          quirk="useSrv"
          label="Look up SRV records"
          hint="Looks up the carrier's servers and their order in DNS, and ignores the port above. Turn it on if your carrier gave you only a domain."
          draft={draft}
          change={change}
        />
      </Disclosure>
      <Disclosure
        title="Codecs and encryption"
        hint="How the audio is encoded. G.711 works with every carrier."
        mark={
          <>
            <Badge>{codecs}</Badge>
            {draft.srtp && <Badge tone="positive">SRTP</Badge>}
          </>
        }
        openWhen={has('codecs', 'srtp')}
      >
        <MultiSelectField
          name="codecs"
          label="Codecs"
          optional
          hint="In the order in which they are preferred. Without any, G.711 (PCMA, then PCMU)."
          placeholder="Add a codec"
          choices={codecChoices}
          value={draft.codecs}
          onValueChange={(values) => change({ codecs: values as Codec[] })}
        />
        <SwitchField
          name="srtp"
          label="Encrypt the audio (SRTP)"
          hint="Requires TLS transport and a carrier with SRTP turned on. Calls without encryption are rejected."
          checked={draft.srtp}
          onCheckedChange={(srtp) => change({ srtp })}
        />
      </Disclosure>
      <Disclosure
        title="Limits"
        hint="What the carrier allows, so that calls over it are not rejected by the carrier."
        mark={
          (draft.maxCalls !== null || draft.callsPerSecond !== null) && (
            <Badge>
              {[
                draft.maxCalls !== null && `${draft.maxCalls} calls`,
                draft.callsPerSecond !== null && `${draft.callsPerSecond} per second`,
              ]
                .filter(Boolean)
                .join(', ')}
            </Badge>
          )
        }
        openWhen={has('max_calls', 'calls_per_second')}
      >
        <OptionalNumber
          name="max_calls"
          switchLabel="Limit concurrent calls"
          switchHint="The number of calls, inbound and outbound, that you bought from the carrier (often called channels)."
          label="Concurrent calls"
          unit="calls"
          min={1}
          max={MAX_CALLS.max}
          start={MAX_CALLS.start}
          value={draft.maxCalls}
          onChange={(maxCalls) => change({ maxCalls })}
        />
        <OptionalNumber
          name="calls_per_second"
          switchLabel="Limit calls per second"
          switchHint="Outbound calls are placed no faster than this."
          label="Calls per second"
          unit="calls"
          min={1}
          max={MAX_CALLS_PER_SECOND.max}
          start={MAX_CALLS_PER_SECOND.start}
          value={draft.callsPerSecond}
          onChange={(callsPerSecond) => change({ callsPerSecond })}
        />
      </Disclosure>
      <Disclosure
        title="Tech prefixes"
        hint="Digits before the number, by which you and the carrier mark calls. Only if the carrier asks for them."
        mark={
          draft.inboundPrefixes.length + Number(draft.outboundPrefix !== '') > 0 && (
            <Badge>{draft.inboundPrefixes.length + Number(draft.outboundPrefix !== '')}</Badge>
          )
        }
        openWhen={has('tech_prefixes')}
      >
        <TechPrefixFields draft={draft} change={change} />
      </Disclosure>
      <Disclosure
        title="Carrier settings"
        hint="How this carrier wants to see numbers and callers, where it differs from most."
        mark={countOf(draft.quirks) > 0 && <Badge>{countOf(draft.quirks)}</Badge>}
        openWhen={has('quirks')}
      >
        <CarrierSettings draft={draft} change={change} />
        <ButtonLink size="sm" className="self-start" href="/docs/guides/sip-trunks" target="_blank">
          About carrier settings
        </ButtonLink>
      </Disclosure>
    </FieldGroup>
  );
}

const isIn = (field: string, group: string): boolean =>
  field === group || field.startsWith(`${group}.`) || field.startsWith(`${group}[`);

const codecChoices: { value: Codec; label: string; note: string }[] = [
  { value: 'PCMA', label: 'PCMA', note: 'G.711 A-law, usual in Europe' },
  { value: 'PCMU', label: 'PCMU', note: 'G.711 µ-law, usual in North America' },
  { value: 'G722', label: 'G722', note: 'Wideband' },
];

type Flag = { [Q in keyof Quirks]-?: NonNullable<Quirks[Q]> extends boolean ? Q : never }[keyof Quirks];

function QuirkSwitch({
  quirk,
  label,
  hint,
  draft: { quirks },
  change,
}: TrunkFieldsProps & { quirk: Flag; label: string; hint: string }) {
  return (
    <SwitchField
      name={`quirks.${quirkFields[quirk]}`}
      label={label}
      hint={hint}
      checked={quirks[quirk] === true}
      onCheckedChange={(on) => {
        const { [quirk]: _, ...rest } = quirks;
        change({ quirks: on ? { ...rest, [quirk]: true } : rest });
      }}
    />
  );
}

const flags: { quirk: Flag; label: string; hint: string }[] = [
  {
    quirk: 'calledPlus',
    label: 'Dial numbers with +',
    hint: 'The called number is sent as +442071838750 instead of 442071838750.',
  },
  {
    quirk: 'nationalOutbound',
    label: 'Dial national numbers in national form',
    hint: 'Numbers of the country code above are sent with the national prefix, for example 02071838750.',
  },
  {
    quirk: 'callerIdPlus',
    label: 'Send the caller ID with +',
    hint: 'The number of the line is sent as +442071838750 instead of 442071838750.',
  },
  {
    quirk: 'hideCallerId',
    label: 'Hide the caller ID',
    hint: 'The called person sees no number; the carrier still does.',
  },
  {
    quirk: 'noAssertedIdentity',
    label: 'Leave out P-Asserted-Identity',
    hint: 'For carriers that reject calls with this header.',
  },
  {
    quirk: 'userPhone',
    label: 'Mark numbers with user=phone',
    hint: 'For carriers that otherwise take a number for a username.',
  },
  {
    quirk: 'noEarlyMedia',
    label: 'Ignore audio before the answer',
    hint: 'Agents hear a ringback tone instead of announcements of the carrier.',
  },
  {
    quirk: 'noHeaderExtensions',
    label: 'Leave out RTP header extensions',
    hint: 'For carriers whose audio stops when a call is transferred or put on hold.',
  },
];

function CarrierSettings({ draft, change }: TrunkFieldsProps) {
  const setText = (quirk: 'fromDomain' | 'fromUser', text: string) => {
    const { [quirk]: _, ...rest } = draft.quirks;
    change({ quirks: text === '' ? rest : { ...rest, [quirk]: text } });
  };
  return (
    <>
      {flags.map((each) => (
        <QuirkSwitch key={each.quirk} {...each} draft={draft} change={change} />
      ))}
      <div className="grid items-start gap-5 sm:grid-cols-2">
        <TextField
          name="quirks.from_user"
          label="From username"
          optional
          mono
          hint="Sent instead of the caller ID, often the username above."
          value={draft.quirks.fromUser ?? ''}
          onValueChange={(text) => setText('fromUser', text)}
        />
        <TextField
          name="quirks.from_domain"
          label="From domain"
          optional
          mono
          hint="Sent instead of our address, often the host above."
          value={draft.quirks.fromDomain ?? ''}
          onValueChange={(text) => setText('fromDomain', text)}
        />
      </div>
    </>
  );
}

const countOf = (quirks: Quirks): number => Object.keys(quirks).filter((quirk) => quirk !== 'useSrv').length;
