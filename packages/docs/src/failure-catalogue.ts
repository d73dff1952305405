/** The failure catalogue as a page with one section per code, and as JSON for programs. */
import { failureAreas, failureCodes, failureDocs, failures } from '@clarion/protocol';
import type { Failure, FailureArea, FailureCode } from '@clarion/protocol';

const areas: Record<FailureArea, { title: string; intro: string }> = {
  inbound: {
    title: 'Rejected inbound calls',
    intro:
      'An INVITE that the service rejected. The caller’s carrier gets a SIP status that reveals nothing; the reason is in the diagnostics of the trunk. A call that had already begun has it in `failureDetails.reason`.',
  },
  outbound: {
    title: 'Outbound calls that were not connected',
    intro: 'In `failureDetails.reason` of the call.',
  },
  connected: {
    title: 'Calls that ended because of a failure',
    intro: 'In `failureDetails.reason` of the call.',
  },
  registration: {
    title: 'Registrations',
    intro: 'A trunk that registers at its carrier shows the reason in its diagnostics.',
  },
  checkup: { title: 'Check-ups', intro: 'Lines of the check-up of a trunk that are not ok.' },
};

const codesOf = (area: FailureArea): FailureCode[] =>
  failureCodes.filter((code) => failures[code].area === area);

/** The heading of a section: its anchor is that of `failureDocs`. */
const heading = (code: FailureCode): string => {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function section(code: FailureCode): string {
  const { text, fix, field } = failures[code];
  const decides = field === null ? '' : ` Field: \`${field}\`.`;
  return `### ${heading(code)}\n\n\`${code}\`: ${text}\n\n**What to do:** ${fix}${decides}`;
}

/** The sections of every area, for the page `failures`. */
export const failureSections = (): string =>
  failureAreas
    .map((area) => {
      const { title, intro } = areas[area];
      return [`## ${title}`, intro, ...codesOf(area).map(section)].join('\n\n');
    })
    .join('\n\n');

export interface PublishedFailure extends Failure {
  code: FailureCode;
  /** The URL of its section. */
  docs: string;
}

/** `/docs/failures.json`. */
export const publishedFailures = (baseUrl: string): { failures: PublishedFailure[] } => ({
  failures: failureCodes.map((code) => ({
    code,
    ...failures[code],
    docs: `${baseUrl}${failureDocs(code)}`,
  })),
});
