'use client';

import { CopyButton, DescriptionList, Section, type DescriptionItem } from '@clarion/ui';
import type { OwnTrunk } from '#lib/dashboard/edit/resources.ts';

/** The addresses of this service, as far as the operator configured them. */
export interface ServiceAddresses {
  /** Null: not known to the pages. */
  address: string | null;
  sipPort: number;
  sipTlsPort: number;
  rtpPorts: string;
}

interface ForCarrierProps {
  trunk: OwnTrunk;
  service: ServiceAddresses;
}

/** What the carrier needs to know about this service. */
export function ForCarrier({ trunk, service }: ForCarrierProps) {
  const facts = factsFor(trunk, service);
  return (
    <Section
      title="For your carrier"
      description={
        trunk.register
          ? 'The carrier sends calls to where this service is registered. If it asks for more, it is this:'
          : 'Enter this in the portal of the carrier, or send it to them.'
      }
      actions={
        <CopyButton label="Copy all" text={facts.map(({ label, text }) => `${label}: ${text}`).join('\n')} />
      }
    >
      <DescriptionList
        items={facts.map(({ label, text, note }): DescriptionItem => ({
          term: label,
          copy: text,
          value: (
            <span className="flex flex-col">
              <code className="font-mono text-sm">{text}</code>
              {note !== undefined && <span className="text-sm text-muted">{note}</span>}
            </span>
          ),
        }))}
      />
      {service.address === null && (
        <p className="text-md text-muted">
          Ask the operator for the IP address of this service if your carrier needs it.
        </p>
      )}
    </Section>
  );
}

interface Fact {
  label: string;
  text: string;
  note?: string;
}

function factsFor({ ingressHost, transport, codecs, srtp }: OwnTrunk, service: ServiceAddresses): Fact[] {
  const { address, sipPort, sipTlsPort, rtpPorts } = service;
  const port = transport === 'TLS' ? sipTlsPort : sipPort;
  const target = ingressHost ?? (address === null ? null : `${address}:${port}`);
  return [
    ...(target === null
      ? []
      : [
          {
            label: ingressHost === null ? 'Send calls to' : 'Ingress host',
            text: target,
            note: `Calls are addressed sip:<number>@${target}.`,
          },
        ]),
    ...(address === null
      ? []
      : [
          {
            label: 'SIP',
            text: `${address} port ${port} (${transport})`,
            note: 'Outbound calls come from this address.',
          },
          { label: 'Audio (RTP)', text: `${address} ports ${rtpPorts} (UDP)` },
        ]),
    { label: 'Codecs', text: `${codecs?.join(', ') ?? 'PCMA, PCMU (G.711)'}${srtp ? ' with SRTP' : ''}` },
  ];
}
