'use client';

import {
  Button,
  Card,
  CheckList,
  type CheckState,
  LiveTimer,
  Notice,
  ProgressBar,
  RelativeTime,
  Section,
  useNow,
} from '@clarion/ui';
import { Stethoscope } from 'lucide-react';
import { useState } from 'react';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import type { OwnTrunk } from '#lib/dashboard/edit/resources.ts';
import { useChange } from '#lib/dashboard/queries.ts';
import type { Answer } from '#lib/dashboard/request.ts';
import { fieldLabel } from '#lib/dashboard/trunks/failure-links.ts';
import { FailureLinks } from './FailureLinks.tsx';

const PATH = '/v1/sip-trunks/{trunkId}/test';
type CheckUpResult = Answer<'POST', typeof PATH>;

/** The service allows one check-up per trunk in this time. */
const PAUSE_MS = 10_000;
const COUNT_MS = 1_000;

interface CheckUpProps {
  trunk: OwnTrunk;
  onField(field: string): void;
}

/** Looks at everything between this service and the carrier, on request. */
export function CheckUp({ trunk, onField }: CheckUpProps) {
  const [allowedAt, setAllowedAt] = useState(0);
  const now = useNow(COUNT_MS);
  const test = useChange('POST', PATH, {
    invalidates: ['/v1/sip-trunks', '/v1/sip-trunks/{trunkId}/diagnostics'],
  });
  const waits = allowedAt > now;
  const start = () => {
    setAllowedAt(Date.now() + PAUSE_MS);
    test.mutate({ path: { trunkId: trunk.id } });
  };
  return (
    <Section
      title="Check-up"
      description="Looks up the carrier in DNS, connects to it, checks its certificate and credentials, and sends it an OPTIONS request. No call is placed."
      actions={
        <Button
          tone="accent"
          busy={test.isPending}
          disabled={waits && !test.isPending}
          icon={<Stethoscope className="size-4" aria-hidden />}
          onClick={start}
        >
          {test.data === undefined ? 'Check the trunk' : 'Check again'}
        </Button>
      }
    >
      {test.isPending ? (
        <Card>
          <ProgressBar label="Checking the connection to the carrier" value={null} />
        </Card>
      ) : test.error !== null ? (
        <Notice tone="negative" title="The trunk could not be checked">
          {problemMessage(test.error)}
        </Notice>
      ) : test.data !== undefined ? (
        <Results result={test.data} onField={onField} />
      ) : (
        <Card className="text-muted">
          Check the trunk after every change: each line then says whether it works and, if not, what to
          change.
        </Card>
      )}
      {waits && !test.isPending && (
        <p className="text-md text-muted">
          A trunk can be checked once every 10 seconds: again in <LiveTimer since={allowedAt} until />.
        </p>
      )}
    </Section>
  );
}

type Line = CheckUpResult['checkup'][number];

const titles: Record<Line['check'], string> = {
  DNS: 'Host name (DNS)',
  CONNECTION: 'Connection',
  CERTIFICATE: 'Certificate',
  OPTIONS: 'Response of the carrier (OPTIONS)',
  CREDENTIALS: 'Credentials',
  REGISTRATION: 'Registration',
  OUR_ADDRESS: 'Our address as the carrier sees it',
  CODECS: 'Codecs',
  SOURCES: 'Source addresses',
};
const states: Record<Line['result'], CheckState> = {
  OK: 'ok',
  WARNING: 'warning',
  FAILED: 'failed',
  SKIPPED: 'skipped',
};

function Results({
  result: { ping, checkup },
  onField,
}: {
  result: CheckUpResult;
  onField(field: string): void;
}) {
  return (
    <>
      <p className="text-md text-ink" role="status">
        <span className="font-medium">{summaryOf(checkup)}</span>{' '}
        <span className="text-muted">
          Checked <RelativeTime at={ping.at} />.
        </span>
      </p>
      <CheckList
        label="Check-up"
        checks={checkup.map(({ check, result, text, fix, field, docs }) => ({
          key: check,
          state: states[result],
          title: titles[check],
          text,
          ...(fix !== null && { fix }),
          ...((docs !== null || fieldLabel(field) !== null) && {
            action: <FailureLinks docs={docs} field={field} onField={onField} />,
          }),
        }))}
      />
    </>
  );
}

function summaryOf(checkup: readonly Line[]): string {
  const count = (wanted: Line['result']) => checkup.filter(({ result }) => result === wanted).length;
  const [failed, warnings] = [count('FAILED'), count('WARNING')];
  if (failed > 0) return failed === 1 ? 'One check failed.' : `${failed} checks failed.`;
  if (warnings > 0)
    return warnings === 1 ? 'It works, with one warning.' : `It works, with ${warnings} warnings.`;
  return 'Everything works.';
}
