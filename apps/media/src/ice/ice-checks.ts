/**
 * Connectivity checks of one ICE component (RFC 8445 §6 to §8, RFC 7675) as a pure state machine: events and the time in,
 * actions out. Both ends announce a single socket, so a pair is identified by its remote address.
 *
 * waiting: the remote description is not known; requests that arrive are answered and their sources are remembered.
 * checking: pairs are checked in the order of priority until one has answered, is nominated and answers again. connected:
 * consent is renewed. failed, lost: nothing happens any more.
 *
 * A request is repeated with the same transaction until the limit for all checks, at intervals that stop growing early:
 * the remote party may know our description only a second after we know its own, and must not be asked too late then.
 *
 * A lite party cannot take the controlling role. Towards one we therefore never give it up, because then nobody would
 * nominate.
 */
import type {
  CandidatePair,
  ChecksState,
  ConnectivityCheck,
  IceAction,
  IceEvent,
  IceTiming,
} from './ice-check-types.ts';
import type { Endpoint } from './stun-address.ts';

/** RFC 7675 §5.1: each interval is random within ±20 %. */
const CONSENT_JITTER = 0.2;
/** With the sources of requests. Meta announces two candidates, a browser at most about ten. */
const MAX_PAIRS = 16;
/** Of sources whose requests arrive before the remote description. */
const MAX_EARLY_PAIRS = 4;
const ROLE_CONFLICT = 487;

export function initialChecks(tieBreaker: bigint, timing: IceTiming): ChecksState {
  return {
    timing,
    tieBreaker,
    phase: 'waiting',
    role: 'controlling',
    remoteLite: false,
    pairs: [],
    checks: [],
    nextCheckId: 1,
    selected: null,
    deadlineMs: Infinity,
    nextPairAtMs: 0,
    nominateAtMs: Infinity,
    consentAtMs: Infinity,
    consentUntilMs: Infinity,
    lastRefusal: null,
  };
}

/** `random`: 0 to 1, for the time of the next consent check. */
export function stepChecks(
  before: ChecksState,
  event: IceEvent,
  nowMs: number,
  random: number,
): { state: ChecksState; actions: IceAction[] } {
  const state: ChecksState = {
    ...before,
    pairs: before.pairs.map((pair) => ({ ...pair })),
    checks: before.checks.map((check) => ({ ...check })),
  };
  const actions: IceAction[] = [];
  if (state.phase === 'failed' || state.phase === 'lost') return { state, actions };
  switch (event.kind) {
    case 'start':
      start(state, event, nowMs);
      break;
    case 'answered':
      answered(state, event.id, nowMs, actions);
      break;
    case 'refused':
      refused(state, event, nowMs);
      break;
    case 'request':
      requested(state, event, nowMs, actions);
      break;
    case 'timer':
      break;
  }
  if (state.phase === 'checking') advance(state, nowMs, actions);
  if (state.phase === 'connected') renewConsent(state, nowMs, random, actions);
  return { state, actions };
}

/** When the next `timer` event is due; null: never. */
export function nextTimerMs(state: ChecksState): number | null {
  if (state.phase === 'connected') return Math.min(state.consentAtMs, state.consentUntilMs);
  if (state.phase !== 'checking') return null;
  const times = [state.deadlineMs, ...state.checks.map((check) => check.retryAtMs)];
  for (const pair of state.pairs)
    if (pair.state === 'unchecked') times.push(Math.max(state.nextPairAtMs, pair.notBeforeMs));
  if (mayNominate(state)) times.push(state.nominateAtMs);
  return Math.min(...times);
}

function start(state: ChecksState, event: IceEvent & { kind: 'start' }, nowMs: number): void {
  if (state.phase !== 'waiting') return;
  state.phase = 'checking';
  state.remoteLite = event.remoteLite;
  if (event.remoteLite) state.role = 'controlling';
  state.deadlineMs = nowMs + state.timing.limitMs;
  state.nextPairAtMs = nowMs;
  for (const { address, port, priority } of event.candidates) {
    const pair = pairOf(state, { address, port }, MAX_PAIRS);
    if (pair) pair.priority = priority;
  }
}

function answered(state: ChecksState, id: number, nowMs: number, actions: IceAction[]): void {
  const check = takeCheck(state, id);
  const pair = check && state.pairs[check.pair];
  if (!check || !pair) return;
  if (check.purpose === 'consent') {
    state.consentUntilMs = nowMs + state.timing.consentTimeoutMs;
    return;
  }
  if (state.phase !== 'checking') return;
  pair.state = 'answered';
  pair.refusals = 0;
  if (state.nominateAtMs === Infinity) state.nominateAtMs = nowMs + state.timing.nominationWaitMs;
  if (state.selected === null) select(state, check.pair, actions);
  const nominated =
    state.role === 'controlling'
      ? check.purpose === 'nominate' && check.role === 'controlling'
      : pair.nominatedByRemote;
  if (nominated) connect(state, check.pair, nowMs, actions);
}

function refused(state: ChecksState, { id, code }: IceEvent & { kind: 'refused' }, nowMs: number): void {
  const check = takeCheck(state, id);
  const pair = check && state.pairs[check.pair];
  if (!check || !pair || check.purpose === 'consent' || state.phase !== 'checking') return;
  pair.state = 'unchecked';
  if (code === ROLE_CONFLICT && !state.remoteLite) {
    // Another check with the same role may have been refused before.
    if (check.role === state.role) switchRole(state);
    return;
  }
  state.lastRefusal = code;
  pair.refusals += 1;
  pair.notBeforeMs = nowMs + state.timing.maxRetryMs;
  if (pair.refusals >= state.timing.maxRefusals) pair.state = 'failed';
}

function requested(
  state: ChecksState,
  event: IceEvent & { kind: 'request' },
  nowMs: number,
  actions: IceAction[],
): void {
  if (event.role?.kind === state.role) {
    // RFC 8445 §7.3.1.1: the larger tie-breaker controls.
    const weWin = state.tieBreaker >= event.role.tieBreaker;
    const weControl = state.role === 'controlling';
    if (weWin === weControl || state.remoteLite) {
      actions.push({ kind: 'refuse', code: ROLE_CONFLICT });
      return;
    }
    switchRole(state);
  }
  actions.push({ kind: 'answer' });
  if (state.phase === 'connected') return;
  const pair = pairOf(state, event.from, state.phase === 'waiting' ? MAX_EARLY_PAIRS : MAX_PAIRS);
  if (!pair) return;
  if (pair.priority === 0) pair.priority = event.priority;
  // The path is open now, so its check is due at once (RFC 8445 §7.3.1.4).
  if (pair.state === 'failed') pair.state = 'unchecked';
  state.nextPairAtMs = Math.min(state.nextPairAtMs, nowMs);
  if (!event.useCandidate || state.role !== 'controlled') return;
  pair.nominatedByRemote = true;
  if (pair.state === 'answered') connect(state, state.pairs.indexOf(pair), nowMs, actions);
}

/** What the time and the state of the pairs make due. */
function advance(state: ChecksState, nowMs: number, actions: IceAction[]): void {
  const exhausted = state.pairs.every((pair) => pair.state === 'failed');
  if (nowMs >= state.deadlineMs || exhausted) {
    state.phase = 'failed';
    state.checks = [];
    actions.push({ kind: 'failed', code: state.lastRefusal });
    return;
  }
  for (const check of state.checks) {
    if (check.retryAtMs > nowMs) continue;
    check.retryMs = Math.min(check.retryMs * 2, state.timing.maxRetryMs);
    check.retryAtMs = nowMs + check.retryMs;
    actions.push(sendOf(check));
  }
  if (nowMs >= state.nextPairAtMs) {
    const due = state.pairs.filter((pair) => pair.state === 'unchecked' && pair.notBeforeMs <= nowMs);
    const best = highest(due);
    if (best) {
      best.state = 'checking';
      state.nextPairAtMs = nowMs + state.timing.paceMs;
      send(state, state.pairs.indexOf(best), 'reach', nowMs, actions);
    }
  }
  if (!mayNominate(state)) return;
  const best = highest(state.pairs.filter((pair) => pair.state === 'answered'));
  if (!best) return;
  const betterPending = state.pairs.some(
    (pair) => (pair.state === 'unchecked' || pair.state === 'checking') && pair.priority > best.priority,
  );
  if (betterPending && nowMs < state.nominateAtMs) return;
  const index = state.pairs.indexOf(best);
  select(state, index, actions);
  send(state, index, 'nominate', nowMs, actions);
}

function renewConsent(state: ChecksState, nowMs: number, random: number, actions: IceAction[]): void {
  const { consentIntervalMs, consentTimeoutMs } = state.timing;
  if (nowMs >= state.consentUntilMs) {
    state.phase = 'lost';
    state.checks = [];
    actions.push({ kind: 'lost' });
    return;
  }
  if (nowMs < state.consentAtMs || state.selected === null) return;
  state.consentAtMs = nowMs + consentIntervalMs * (1 - CONSENT_JITTER + 2 * CONSENT_JITTER * random);
  state.checks = state.checks.filter((check) => nowMs - check.sentAtMs < consentTimeoutMs);
  send(state, state.selected, 'consent', nowMs, actions);
}

function connect(state: ChecksState, index: number, nowMs: number, actions: IceAction[]): void {
  select(state, index, actions);
  state.phase = 'connected';
  state.checks = [];
  state.consentAtMs = nowMs + state.timing.consentIntervalMs;
  state.consentUntilMs = nowMs + state.timing.consentTimeoutMs;
  actions.push({ kind: 'connected' });
}

function select(state: ChecksState, index: number, actions: IceAction[]): void {
  const pair = state.pairs[index];
  if (!pair || state.selected === index) return;
  state.selected = index;
  actions.push({ kind: 'select', remote: pair.remote });
}

function switchRole(state: ChecksState): void {
  state.role = state.role === 'controlling' ? 'controlled' : 'controlling';
  state.checks = state.checks.filter((check) => check.purpose !== 'nominate');
}

function mayNominate(state: ChecksState): boolean {
  return (
    state.role === 'controlling' &&
    state.pairs.some((pair) => pair.state === 'answered') &&
    !state.checks.some((check) => check.purpose === 'nominate')
  );
}

function send(
  state: ChecksState,
  index: number,
  purpose: ConnectivityCheck['purpose'],
  nowMs: number,
  actions: IceAction[],
): void {
  const pair = state.pairs[index];
  if (!pair) return;
  const { firstRetryMs } = state.timing;
  const check: ConnectivityCheck = {
    id: state.nextCheckId,
    pair: index,
    purpose,
    to: pair.remote,
    role: state.role,
    sentAtMs: nowMs,
    retryAtMs: nowMs + firstRetryMs,
    retryMs: firstRetryMs,
  };
  state.nextCheckId += 1;
  state.checks.push(check);
  actions.push(sendOf(check));
}

function sendOf({ id, to, purpose, role }: ConnectivityCheck): IceAction {
  return { kind: 'send', id, to, nominate: purpose === 'nominate', role };
}

function takeCheck(state: ChecksState, id: number): ConnectivityCheck | undefined {
  const check = state.checks.find((each) => each.id === id);
  state.checks = state.checks.filter((each) => each.id !== id);
  return check;
}

/** The pair with this remote address, added if there are fewer than `limit`. */
function pairOf(state: ChecksState, remote: Endpoint, limit: number): CandidatePair | null {
  const known = state.pairs.find(
    (pair) => pair.remote.address === remote.address && pair.remote.port === remote.port,
  );
  if (known) return known;
  if (state.pairs.length >= limit) return null;
  const pair: CandidatePair = {
    remote,
    priority: 0,
    state: 'unchecked',
    notBeforeMs: 0,
    refusals: 0,
    nominatedByRemote: false,
  };
  state.pairs.push(pair);
  return pair;
}

function highest(pairs: readonly CandidatePair[]): CandidatePair | null {
  return pairs.reduce<CandidatePair | null>(
    (best, pair) => (best === null || pair.priority > best.priority ? pair : best),
    null,
  );
}
