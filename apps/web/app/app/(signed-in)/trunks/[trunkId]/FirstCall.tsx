'use client';

import { Button, ButtonLink, Card, RelativeTime, Section, useToasts } from '@clarion/ui';
import { CircleCheck, PhoneIncoming, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import type { OwnTrunk } from '#lib/dashboard/edit/resources.ts';
import { useChange } from '#lib/dashboard/queries.ts';
import { lineHref, newLineHref } from '#lib/dashboard/trunks/addresses.ts';
import { arrivals, type Arrival } from '#lib/dashboard/trunks/first-call.ts';
import { bodyWithSource } from '#lib/dashboard/trunks/trunk-draft.ts';
import { useShowTrunk } from '#lib/dashboard/trunks/use-show-trunk.ts';
import type { PhoneNumber } from '#lib/dashboard/trunks/use-lines-of-trunks.ts';
import { useTenant } from '#lib/dashboard/use-tenant.ts';
import { FailureLinks } from './FailureLinks.tsx';
import type { Diagnostics } from './use-diagnostics.ts';

interface FirstCallProps {
  trunk: OwnTrunk;
  diagnostics: Diagnostics;
  lines: readonly PhoneNumber[] | undefined;
  editable: boolean;
  onField(field: string): void;
}

/** The list of rejected calls has the others. */
const MOST_SHOWN = 3;

/** Waits for the first call of the trunk, and comments on every attempt. */
export function FirstCall({ trunk, diagnostics, lines = [], editable, onField }: FirstCallProps) {
  const all = arrivals(
    diagnostics,
    lines.map(({ number }) => number),
    trunk.numberRules,
  );
  const found = all.slice(0, MOST_SHOWN);
  const reached = all.some(({ kind }) => kind === 'reached');
  return (
    <Section
      title={reached ? 'Your first call arrived' : 'Your first call'}
      description={
        reached
          ? 'The carrier reaches this trunk, and the trunk reaches a line.'
          : 'Call one of your numbers from any phone. This page waits for the call and says what became of it.'
      }
    >
      <Card flush>
        {!reached && <Waiting trunk={trunk} lines={lines} />}
        <ul aria-label="Calls that arrived" aria-live="polite" className="divide-y divide-line">
          {found.map((arrival) => (
            <li
              key={`${arrival.kind} ${arrival.at} ${arrival.source}`}
              className="flex gap-3 px-4 py-3 sm:px-5"
            >
              {arrival.kind === 'reached' ? (
                <CircleCheck className="mt-0.5 size-4.5 shrink-0 text-positive" aria-hidden />
              ) : (
                <TriangleAlert className="mt-0.5 size-4.5 shrink-0 text-warning" aria-hidden />
              )}
              {arrival.kind === 'reached' ? (
                <Reached arrival={arrival} lines={lines} />
              ) : (
                <Rejected arrival={arrival} trunk={trunk} editable={editable} onField={onField} />
              )}
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  );
}

function Waiting({ trunk, lines }: { trunk: OwnTrunk; lines: readonly PhoneNumber[] }) {
  const [first] = lines;
  return (
    <div className="flex gap-3 border-b border-line px-4 py-4 last:border-b-0 sm:px-5">
      <span className="relative mt-0.5 grid size-4.5 shrink-0 place-items-center text-accent" aria-hidden>
        <span className="absolute size-4.5 animate-ping rounded-full bg-accent-soft motion-reduce:animate-none" />
        <PhoneIncoming className="relative size-4.5" />
      </span>
      <div className="min-w-0 flex-1 text-pretty">
        <p className="font-medium text-ink" role="status">
          Waiting for the first call
        </p>
        <p className="text-muted">
          {first === undefined
            ? 'No line uses this trunk yet. A call to any of your numbers shows here anyway, with what is missing.'
            : `For example ${first.number}.`}{' '}
          {trunk.status !== 'ACTIVE' && 'The trunk is not active, so calls are rejected for now. '}
          If nothing appears, the carrier does not reach this service: check that it sends calls to
          {trunk.ingressHost === null ? ' the address under “For your carrier”' : ` ${trunk.ingressHost}`}
          {trunk.ingressHost === null &&
            '. Without an ingress host, calls from addresses that are not listed in the trunk cannot be shown here'}
          .
        </p>
      </div>
    </div>
  );
}

function Reached({
  arrival: { at, source, number, line: reachedNumber },
  lines,
}: {
  arrival: Extract<Arrival, { kind: 'reached' }>;
  lines: readonly PhoneNumber[];
}) {
  const line = lines.find((each) => each.number === reachedNumber);
  const href = line === undefined ? null : lineHref(line);
  return (
    <Comment
      title={
        line === undefined
          ? `A call to ${number} reached this trunk.`
          : `Your first call reached the line ${line.channelRef}.`
      }
      text={
        <>
          To {number} from <code className="font-mono">{source}</code>, <RelativeTime at={at} />.
        </>
      }
    >
      {href !== null && (
        <ButtonLink size="sm" href={href}>
          Open the line
        </ButtonLink>
      )}
    </Comment>
  );
}

interface RejectedProps extends Pick<FirstCallProps, 'trunk' | 'editable' | 'onField'> {
  arrival: Extract<Arrival, { kind: 'rejected' }>;
}

function Rejected({ arrival, trunk, editable, onField }: RejectedProps) {
  const { at, source, number, reason, fix, docs, action } = arrival;
  const { ref: tenantRef } = useTenant();
  const listed = action?.kind === 'add-source' && trunk.inboundSourceCidrs.includes(source);
  return (
    <Comment
      title={
        action?.kind === 'add-source'
          ? listed
            ? `${source} is now among the source addresses. Call again.`
            : `A call from ${source} was rejected: this address is not among the source addresses.`
          : `A call from ${source} was rejected: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`
      }
      text={
        <>
          To {number}, <RelativeTime at={at} />. {!listed && fix}
        </>
      }
    >
      {action?.kind === 'add-source' && !listed && editable && <AddSource trunk={trunk} source={source} />}
      {action?.kind === 'create-line' && tenantRef !== null && (
        <ButtonLink size="sm" href={newLineHref(tenantRef, trunk.id, action.number)}>
          Create a line with {action.number}
        </ButtonLink>
      )}
      <FailureLinks docs={docs} field={action?.kind === 'edit' ? action.field : null} onField={onField} />
    </Comment>
  );
}

function Comment({ title, text, children }: { title: ReactNode; text: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-2 text-pretty wrap-anywhere">
      <div>
        <p className="font-medium text-ink">{title}</p>
        <p className="text-muted">{text}</p>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 empty:hidden">{children}</div>
    </div>
  );
}

/** Adds the address after one look at it: whoever has it may send calls to the lines of the trunk. */
function AddSource({ trunk, source }: { trunk: OwnTrunk; source: string }) {
  const toasts = useToasts();
  const showTrunk = useShowTrunk();
  const put = useChange('PUT', '/v1/sip-trunks/{trunkId}', {
    onDone: ({ trunk: changed }) => {
      showTrunk(changed);
      toasts.add({ title: `${source} was added`, description: 'Call again.', tone: 'positive' });
    },
  });
  return (
    <>
      <Button
        size="sm"
        tone="accent"
        busy={put.isPending}
        onClick={() => put.mutate({ path: { trunkId: trunk.id }, body: bodyWithSource(trunk, source) })}
      >
        Add {source}
      </Button>
      <span className="basis-full text-sm text-muted">
        Add it only if it is an address of your carrier: it may then send calls to your lines.
      </span>
      {put.error !== null && (
        <span role="alert" className="basis-full text-sm font-medium text-negative-text">
          {problemMessage(put.error)}
        </span>
      )}
    </>
  );
}
