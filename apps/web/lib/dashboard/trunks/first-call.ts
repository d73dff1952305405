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

const E164 = /^\+\d{8,15}$/;

/**
 * The newest first; calls that were rejected for the same reason, from and to the same, count once. `lines`: the numbers of lines on the
 * trunk, and what each is called. The last INVITE of a trunk may be one that was rejected: then it is only among the rejected ones.
 */
export function arrivals({ lastInvite, refusals }: Observed, lines: ReadonlyMap<string, string>): Arrival[] {
  const seen = new Set<string>();
  const rejected = refusals.flatMap((refusal): Arrival[] => {
    const same = [refusal.code ?? refusal.reason, refusal.source, refusal.number].join(' ');
    if (seen.has(same)) return [];
    seen.add(same);
    return [{ ...refusal, kind: 'rejected', action: actionOf(refusal) }];
  });
  if (lastInvite === null || !isAccepted(lastInvite, refusals)) return rejected;
  const reached: Arrival = { ...lastInvite, kind: 'reached', line: lines.get(lastInvite.number) ?? null };
  return [...rejected, reached].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

/** Both times are of the same INVITE, but are not written in the same statement. */
const SAME_INVITE_MS = 1_000;

const isAccepted = (invite: Invite, refusals: readonly Rejected[]): boolean =>
  !refusals.some(
    ({ at, source, number }) =>
      source === invite.source &&
      number === invite.number &&
      Math.abs(Date.parse(at) - Date.parse(invite.at)) < SAME_INVITE_MS,
  );

function actionOf({ code, source, number, field }: Rejected): ArrivalAction | null {
  if (code === 'source_not_of_trunk' || code === 'source_unknown') return { kind: 'add-source', source };
  if (code === 'number_without_line' && E164.test(number)) return { kind: 'create-line', number };
  return field === null ? null : { kind: 'edit', field };
}
