/** What arrives while somebody waits for the first call of a trunk, and what to do about it. */

interface Invite {
  at: string;
  source: string;
  number: string;
}
interface Rejected extends Invite {
  reason: string;
  fix: string | null;
  code: string | null;
  field: string | null;
  docs: string | null;
}

export type Arrival =
  /** `line`: the number of the line, if it can be told. */
  | (Invite & { kind: 'reached'; line: string | null })
  | (Rejected & { kind: 'rejected'; action: ArrivalAction | null });

export type ArrivalAction =
  | { kind: 'add-source'; source: string }
  | { kind: 'create-line'; number: string }
  | { kind: 'edit'; field: string };

interface Observed {
  lastInvite: Invite | null;
  refusals: readonly Rejected[];
}

type NumberRules = { country_code: string; national_prefix?: string | undefined } | null;

const E164 = /^\+\d{8,15}$/;

/**
 * The newest first; calls that were rejected for the same reason, from and to the same, count once. `lines`: the numbers of lines on the
 * trunk. The last INVITE of a trunk may be one that was rejected: then it is only among the rejected ones.
 */
export function arrivals(
  { lastInvite, refusals }: Observed,
  lines: readonly string[],
  rules: NumberRules,
): Arrival[] {
  const seen = new Set<string>();
  const rejected = refusals.flatMap((refusal): Arrival[] => {
    const same = [refusal.code ?? refusal.reason, refusal.source, refusal.number].join(' ');
    if (seen.has(same)) return [];
    seen.add(same);
    return [{ ...refusal, kind: 'rejected', action: actionOf(refusal) }];
  });
  if (lastInvite === null || !isAccepted(lastInvite, refusals)) return rejected;
  const reached: Arrival = {
    ...lastInvite,
    kind: 'reached',
    line: lines.find((number) => isWrittenAs(number, lastInvite.number, rules)) ?? null,
  };
  return [...rejected, reached].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

/** Both times are of the same INVITE, but are not written in the same statement. */
const SAME_INVITE_MS = 3_000;

const isAccepted = (invite: Invite, refusals: readonly Rejected[]): boolean =>
  !refusals.some(
    ({ at, source, number }) =>
      source === invite.source &&
      digitsOf(number) === digitsOf(invite.number) &&
      Math.abs(Date.parse(at) - Date.parse(invite.at)) < SAME_INVITE_MS,
  );

const digitsOf = (number: string): string => number.replaceAll(/\D/g, '').replace(/^00/, '');

/** Whether the carrier may have written this line's number so: in full, or in the national form of the trunk. */
function isWrittenAs(line: string, written: string, rules: NumberRules): boolean {
  const digits = digitsOf(written);
  const prefix = rules?.national_prefix ?? '';
  const national = digits.startsWith(prefix) ? digits.slice(prefix.length) : digits;
  return [digits, `${rules?.country_code ?? ''}${national}`].includes(digitsOf(line));
}

function actionOf({ code, source, number, field }: Rejected): ArrivalAction | null {
  if (code === 'source_not_of_trunk' || code === 'source_unknown') return { kind: 'add-source', source };
  if (code === 'number_without_line' && E164.test(number)) return { kind: 'create-line', number };
  return field === null ? null : { kind: 'edit', field };
}
