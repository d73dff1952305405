/** Merges the parts of a ladder, and the lifecycle log of its call, on one axis of time. */
import type { LadderEntry, LadderLeg, LadderPart } from '@clarion/protocol/ladder';
import type {
  LadderEntryKind,
  LadderParticipantKind,
  LadderResource,
} from '@clarion/protocol/v1/call/ladder';
import { eventLine } from './event-lines.ts';
import type { LoggedEvent } from './event-lines.ts';
import { mediaSummary, sipSummary } from './sip-summary.ts';

export interface StoredPart {
  startedAt: Date;
  part: LadderPart;
}

export interface LadderSource {
  parts: readonly StoredPart[];
  events: readonly LoggedEvent[];
  /** Webhooks that Meta sent about the call. */
  webhooks: readonly { at: Date; title: string; text: string }[];
  /** Names of agents by ID. */
  agents: ReadonlyMap<number, string>;
  /** Names of supervisors by leg, those of agents as in `agents`. */
  supervisors: ReadonlyMap<string, string>;
}

/** A line of the diagram, with what a packet capture needs in addition. */
export interface LadderLine {
  atMs: number;
  from: string;
  to: string | null;
  kind: LadderEntryKind;
  summary: string;
  detail: string | null;
  packet: { sent: boolean; transport: string; address: string; port: number } | null;
}

interface Participant {
  id: string;
  kind: LadderParticipantKind;
  label: string;
}

export interface Ladder {
  participants: Participant[];
  lines: LadderLine[];
  truncated: boolean;
}

export const SERVICE = 'service';
const META = 'meta';
const BROWSER_LEGS: ReadonlySet<LadderLeg['kind']> = new Set(['agent', 'monitor']);
/** The order of the lanes, from left to right. */
const ORDER: readonly LadderParticipantKind[] = ['CARRIER', 'META', 'SERVICE', 'AGENT', 'SUPERVISOR'];

export function buildLadder(source: LadderSource): Ladder {
  const lanes = new Lanes(source);
  const messages = source.parts.flatMap(({ startedAt, part }) =>
    part.entries.flatMap((entry) => {
      const leg = part.legs[entry.leg];
      return leg ? [lineOf(entry, leg, startedAt.getTime(), lanes)] : [];
    }),
  );
  const events = source.events.map((event): LadderLine => {
    const { summary, isTowardsAgent } = eventLine(event, source.agents);
    const agent = lanes.ofEvent(event);
    const [from, to] =
      agent === null ? [SERVICE, null] : isTowardsAgent ? [SERVICE, agent] : [agent, SERVICE];
    return { atMs: event.at.getTime(), from, to, kind: 'EVENT', summary, detail: null, packet: null };
  });
  const webhooks = source.webhooks.map(({ at, title, text }): LadderLine => ({
    atMs: at.getTime(),
    from: lanes.meta(),
    to: SERVICE,
    kind: 'WEBHOOK',
    summary: title,
    detail: text,
    packet: null,
  }));
  const lines = inOrderOfTime([...messages, ...webhooks, ...events]);
  return { participants: lanes.inOrder(), lines, truncated: isTruncated(source.parts) };
}

/**
 * The log has whole milliseconds, cut off, and messages have fractions: an entry of the log follows the messages of its millisecond, which
 * caused it.
 */
function inOrderOfTime(lines: readonly LadderLine[]): LadderLine[] {
  const orderOf = ({ atMs, kind }: LadderLine) => (kind === 'EVENT' ? atMs + 1 : atMs);
  let latest = 0;
  return lines
    .toSorted((a, b) => orderOf(a) - orderOf(b))
    .map((line) => {
      latest = Math.max(latest, line.atMs);
      return { ...line, atMs: latest };
    });
}

function lineOf(entry: LadderEntry, leg: LadderLeg, startedMs: number, lanes: Lanes): LadderLine {
  const atMs = startedMs + entry.ms;
  const common = { atMs, packet: null };
  switch (entry.kind) {
    case 'sip': {
      const { sent, transport, address, port, text, cut } = entry;
      return {
        ...common,
        ...direction(lanes.carrier(leg.id, address), sent),
        kind: 'SIP',
        summary: sipSummary(text),
        detail: withCut(text, cut),
        packet: { sent, transport, address, port },
      };
    }
    case 'sdp':
      return {
        ...common,
        ...direction(lanes.ofLeg(leg), entry.sent),
        kind: 'SDP',
        summary: `SDP ${entry.type}`,
        detail: withCut(entry.text, entry.cut),
      };
    case 'graph':
      return {
        ...common,
        ...direction(lanes.meta(), entry.sent),
        kind: 'GRAPH',
        summary: entry.title,
        detail: withCut(entry.text, entry.cut),
      };
    case 'media':
      return {
        ...common,
        from: lanes.ofLeg(leg),
        to: null,
        kind: 'MEDIA',
        summary: mediaSummary(entry.what, entry.data ?? {}, BROWSER_LEGS.has(leg.kind)),
        detail: null,
      };
  }
}

const direction = (other: string, sent: boolean): { from: string; to: string } =>
  sent ? { from: SERVICE, to: other } : { from: other, to: SERVICE };

const withCut = (text: string, cut: number | undefined): string =>
  cut === undefined ? text : `${text}[${cut} more characters]`;

const isTruncated = (parts: readonly StoredPart[]): boolean =>
  parts.some(
    ({ part }) =>
      part.legs.some(({ omitted }) => omitted > 0) ||
      part.entries.some((entry) => 'cut' in entry && entry.cut !== undefined),
  );

/** The participants, in the order in which they first appear within their kind. */
class Lanes {
  readonly #source: LadderSource;
  readonly #lanes = new Map<string, Participant>([
    [SERVICE, { id: SERVICE, kind: 'SERVICE', label: 'Service' }],
  ]);
  /** The lane of the last message of each carrier leg: where what happens to its audio is shown. */
  readonly #carrierOf = new Map<string, string>();

  constructor(source: LadderSource) {
    this.#source = source;
  }

  /** One lane per address, so that the addresses that were tried one after the other are told apart. */
  carrier(legId: string, address: string): string {
    const known = this.#carrierOf.get(legId);
    if (address === '' && known !== undefined) return known;
    const id = this.#add(`carrier:${address}`, 'CARRIER', address === '' ? 'Carrier' : address);
    this.#carrierOf.set(legId, id);
    return id;
  }

  meta(): string {
    return this.#add(META, 'META', 'Meta');
  }

  agent(agentId: number): string {
    return this.#add(`agent:${agentId}`, 'AGENT', this.#source.agents.get(agentId) ?? `Agent ${agentId}`);
  }

  ofLeg(leg: LadderLeg): string {
    switch (leg.kind) {
      case 'whatsapp':
        return this.meta();
      case 'agent':
        return typeof leg.agentId === 'number'
          ? this.agent(leg.agentId)
          : this.#add(leg.id, 'AGENT', 'Agent');
      case 'monitor':
        return this.#supervisor(this.#source.supervisors.get(leg.id));
      default:
        // A WhatsApp leg has the kind of a customer's leg, and no SIP.
        return this.#carrierOf.get(leg.id) ?? (this.#lanes.has(META) ? META : this.carrier(leg.id, ''));
    }
  }

  /** Null: the service itself acted. */
  ofEvent({ type, agentId, metadata }: LoggedEvent): string | null {
    const name = agentId === null ? metadata.name : this.#source.agents.get(agentId);
    if (type.startsWith('MONITOR_')) return this.#supervisor(typeof name === 'string' ? name : undefined);
    return agentId === null ? null : this.agent(agentId);
  }

  inOrder(): Participant[] {
    return [...this.#lanes.values()].toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  }

  /** A supervisor who listens again has another leg. */
  #supervisor(name = 'Supervisor'): string {
    return this.#add(`supervisor:${name}`, 'SUPERVISOR', name);
  }

  #add(id: string, kind: LadderParticipantKind, label: string): string {
    if (!this.#lanes.has(id)) this.#lanes.set(id, { id, kind, label });
    return id;
  }
}

export function presentLadder({ participants, lines, truncated }: Ladder): LadderResource {
  const startMs = lines[0]?.atMs ?? 0;
  return {
    participants,
    entries: lines.map(({ atMs, from, to, kind, summary, detail }) => ({
      at: new Date(atMs).toISOString(),
      offsetMs: Math.round((atMs - startMs) * 10) / 10,
      from,
      to,
      kind,
      summary,
      detail,
    })),
    truncated,
  };
}
