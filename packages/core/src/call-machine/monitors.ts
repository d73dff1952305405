/**
 * Monitors of an answered call, who listen and may whisper to the agent or barge in. They join and leave without affecting who has the
 * call: nothing here ends it. A monitor is present (participant, log, route) from the moment their audio is connected.
 *
 * Whisper and barge need mixing, so the call leaves the direct path at the latest then.
 */
import type { MonitorEndReason, MonitoringMode } from '@clarion/protocol';
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import type { Monitor, TalkingState } from './state.ts';
import { AGENT_CONNECT_MS, MAX_MONITORS_PER_CALL, MONITOR_GRACE_MS } from './timing.ts';
import { offDirectPath } from './direct-path.ts';
import { rerouted } from './route.ts';
import { media, notifyMonitor } from './shared.ts';
import type { Step } from './shared.ts';

type Change = Step<TalkingState>;

/** Applies an event to the monitors; returns the same state if it does not concern them. */
export function stepMonitors(state: TalkingState, event: CallEvent, now: number): Change {
  switch (event.type) {
    case 'monitor-start':
      return start(state, event.monitor, now);
    case 'monitor-mode':
      return setMode(state, (one) => (one.legId === event.legId ? event.mode : one.mode));
    case 'monitor-modes':
      return offDirectPathAnd(state, event.allowed, (next) => keepTo(next, event.allowed));
    case 'monitor-stop':
      return without(state, ({ legId }) => legId === event.legId, event.reason ?? 'LEFT');
    case 'agent-removed':
      return without(state, ({ agentId }) => agentId === event.agentId, 'NOT_ALLOWED');
    case 'leg-connected':
      return connected(state, event.legId, event.codec);
    case 'leg-interrupted':
      return changed(state, event.legId, (one) => ({ ...one, lostAt: one.lostAt ?? now }));
    case 'leg-restored':
      return changed(state, event.legId, (one) => ({ ...one, lostAt: null }));
    case 'leg-ended':
      return without(state, ({ legId }) => legId === event.legId, 'FAILED', event.stats);
    case 'command-failed':
      return event.command === 'agent:connect'
        ? without(state, ({ legId }) => legId === event.legId, 'FAILED')
        : nothing(state);
    case 'tick':
      return without(state, (one) => now >= (deadlineOf(one) ?? Infinity), 'FAILED');
    default:
      return nothing(state);
  }
}

/** Agents cannot monitor a call that they have or are about to have: a transfer may bring it to one who listens. */
export function withoutHolders({ state, effects }: Step): Step {
  if (state.phase !== 'talking') return { state, effects };
  const holders = [state.agent.agentId, state.transfer?.accepted?.side.agentId];
  const { state: next, effects: more } = without(
    state,
    ({ agentId }) => agentId !== null && holders.includes(agentId),
    'REPLACED',
  );
  return { state: next, effects: more.length === 0 ? effects : [...effects, ...more] };
}

/** The earliest moment at which a `tick` removes a monitor. */
export function monitorsDeadline({ monitors }: TalkingState): number | null {
  const times = monitors.map(deadlineOf).filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

const nothing = (state: TalkingState): Change => ({ state, effects: [] });

/** When this monitor's audio must be connected, or connected again. */
const deadlineOf = ({ connected: there, connectBy, lostAt }: Monitor): number | null =>
  !there ? connectBy : lostAt === null ? null : lostAt + MONITOR_GRACE_MS;

function start(
  state: TalkingState,
  monitor: Extract<CallEvent, { type: 'monitor-start' }>['monitor'],
  now: number,
): Change {
  const { agentId, mode, legId } = monitor;
  const known = state.monitors.some((one) => one.legId === legId);
  if (known || agentId === state.agent.agentId) return nothing(state);
  const { state: alone, effects } = without(state, (one) => isSame(one, monitor), 'REPLACED');
  if (alone.monitors.length >= MAX_MONITORS_PER_CALL) return nothing(state);
  const one: Monitor = { ...monitor, connected: false, connectBy: now + AGENT_CONNECT_MS, lostAt: null };
  const { state: next, effects: moved } = offDirectPath(alone, [mode]);
  return { state: { ...next, monitors: [...next.monitors, one] }, effects: [...moved, ...effects] };
}

/** A person monitors a call once, on whatever device. People without an agent are identified by session and device. */
const isSame = (a: Pick<Monitor, 'kind' | 'agentId' | 'sessionId' | 'deviceId'>, b: typeof a): boolean =>
  a.agentId === null
    ? b.agentId === null &&
      a.kind === b.kind &&
      a.sessionId === b.sessionId &&
      a.deviceId !== null &&
      a.deviceId === b.deviceId
    : a.agentId === b.agentId;

function offDirectPathAnd(
  state: TalkingState,
  modes: readonly MonitoringMode[],
  change: (state: TalkingState) => Change,
): Change {
  const moved = offDirectPath(state, modes);
  const { state: next, effects } = change(moved.state);
  return { state: next, effects: [...moved.effects, ...effects] };
}

function connected(state: TalkingState, legId: string, codec: string): Change {
  const monitor = state.monitors.find((one) => one.legId === legId);
  if (!monitor || monitor.connected) return nothing(state);
  const { kind, agentId, name, deviceId, mode } = monitor;
  const next = replaced(state, { ...monitor, connected: true });
  return rerouted(next, [
    { kind: 'join', who: 'MONITOR', monitor: { kind, agentId, name, deviceId, legId } },
    said(monitor, 'MONITOR_STARTED', { mode }),
    leg(monitor, 'CONNECTED', { codec }),
  ]);
}

function setMode(state: TalkingState, modeOf: (one: Monitor) => MonitoringMode): Change {
  const turned = state.monitors.filter((one) => modeOf(one) !== one.mode);
  if (turned.length === 0) return nothing(state);
  const monitors = state.monitors.map((one) => (turned.includes(one) ? { ...one, mode: modeOf(one) } : one));
  const there = turned.filter((one) => one.connected);
  const moved = offDirectPath(state, turned.map(modeOf));
  const effects = [...moved.effects, ...there.map((one) => said(one, 'MONITOR_MODE', { mode: modeOf(one) }))];
  const next = { ...moved.state, monitors };
  return there.length === 0 ? { state: next, effects } : rerouted(next, effects);
}

/** The modes apply to supervisors' apps. In the dashboard, listening is always allowed. */
export const modesFor = (kind: Monitor['kind'], allowed: readonly MonitoringMode[]): MonitoringMode[] =>
  kind === 'SUPERVISOR' ? [...allowed] : [...new Set<MonitoringMode>(['LISTEN', ...allowed])];

/** The tenant's modes have changed: a mode that is no longer allowed becomes listening, or monitoring ends. */
function keepTo(state: TalkingState, allowed: MonitoringMode[]): Change {
  const barred = state.monitors.filter(({ kind, mode }) => !modesFor(kind, allowed).includes(mode));
  const out = barred.filter(({ kind }) => !modesFor(kind, allowed).includes('LISTEN'));
  const left = without(state, (one) => out.includes(one), 'NOT_ALLOWED');
  const turned = barred.filter((one) => !out.includes(one));
  const { state: next, effects } = setMode(left.state, (one) => (turned.includes(one) ? 'LISTEN' : one.mode));
  const told = turned.flatMap((one) => notifyMonitor(one, { message: 'monitor-updated', mode: 'LISTEN' }));
  return { state: next, effects: [...left.effects, ...effects, ...told] };
}

function without(
  state: TalkingState,
  which: (monitor: Monitor) => boolean,
  reason: MonitorEndReason | 'LEFT',
  stats: Record<string, unknown> | null = null,
): Change {
  const gone = state.monitors.filter(which);
  if (gone.length === 0) return nothing(state);
  const next = { ...state, monitors: state.monitors.filter((one) => !gone.includes(one)) };
  const effects = gone.flatMap((monitor): Effect[] => [
    ...(monitor.connected ? left(monitor, reason, stats) : []),
    // Repeated for a leg that has ended, this command has no effect.
    media(state, { command: 'leg:hangup', legId: monitor.legId }),
    ...(reason === 'LEFT' ? [] : notifyMonitor(monitor, { message: 'monitor-ended', reason })),
  ]);
  return gone.some((one) => one.connected) ? rerouted(next, effects) : { state: next, effects };
}

const left = (
  monitor: Monitor,
  reason: MonitorEndReason | 'LEFT',
  stats: Record<string, unknown> | null,
): Effect[] => [
  { kind: 'leave', who: { legId: monitor.legId }, reason: 'MONITOR_STOPPED' },
  said(monitor, 'MONITOR_STOPPED', { reason }),
  leg(monitor, 'DISCONNECTED', stats),
];

const said = (
  { kind, agentId, name }: Monitor,
  type: 'MONITOR_STARTED' | 'MONITOR_MODE' | 'MONITOR_STOPPED',
  about: Record<string, unknown>,
): Effect => ({
  kind: 'record',
  type,
  ...(agentId !== null && { agentId }),
  metadata: { by: kind, name, ...about },
});

const leg = (
  { legId, agentId, deviceId }: Monitor,
  state: 'CONNECTED' | 'DISCONNECTED',
  stats: Record<string, unknown> | null,
): Effect => ({
  kind: 'leg',
  leg: 'MONITOR',
  legId,
  state,
  ...(agentId !== null && { agentId }),
  ...(deviceId !== null && { deviceId }),
  ...(stats && { stats }),
});

function changed(state: TalkingState, legId: string, change: (one: Monitor) => Monitor): Change {
  const monitor = state.monitors.find((one) => one.legId === legId);
  if (!monitor?.connected) return nothing(state);
  const next = change(monitor);
  return next.lostAt === monitor.lostAt ? nothing(state) : { state: replaced(state, next), effects: [] };
}

const replaced = (state: TalkingState, monitor: Monitor): TalkingState => ({
  ...state,
  monitors: state.monitors.map((one) => (one.legId === monitor.legId ? monitor : one)),
});
