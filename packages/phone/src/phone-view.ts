/** The SDK's calls as the phone's view. Pure. */
import type { AgentCall, DialLine, MediaState, QualityLevel } from '@clarion/sdk';
import type { PhoneAudio, PhoneCall, PhoneLine, PhoneView } from '@clarion/ui';

/** What the view needs to know of an SDK call. */
export interface CallFacts {
  info: Readonly<AgentCall>;
  expiresAt: Date | null;
  muted: boolean;
  held: boolean;
  here: boolean;
  media: MediaState;
  quality: QualityLevel;
}

export interface Placing {
  number: string;
  line: string | null;
  since: number;
}

/** Stands for a call that has no id yet. */
export const PLACING_ID = 0;

export interface ViewInput {
  calls: CallFacts[];
  /** The call whose summary is still shown. */
  ended: Readonly<AgentCall> | null;
  answering: number | null;
  /** A number that was just dialled, until the service knows the call. */
  placing: Placing | null;
  /** When each offer was first seen, by call id. */
  ringingSince: ReadonlyMap<number, number>;
  now: number;
  /** Service's clock minus this machine's. */
  clockOffsetMs: number;
}

/** A running call comes first, then ringing ones, then the summary of the last call. */
export function phoneView(input: ViewInput): PhoneView {
  const { calls, ended, answering, placing, ringingSince, now, clockOffsetMs } = input;
  const local = (time: string) => Date.parse(time) - clockOffsetMs;

  const running = calls.find(({ info }) => info.state === 'active' || info.state === 'dialing');
  if (running?.info.state === 'active') {
    const { info, muted, held, quality } = running;
    return {
      at: 'active',
      call: phoneCall(info),
      answeredAt: info.answeredAt === null ? now : local(info.answeredAt),
      muted,
      held,
      audio: audioOf(running),
      quality,
    };
  }
  if (placing) return { at: 'dialing', call: placedCall(placing), since: placing.since };
  if (running) return { at: 'dialing', call: phoneCall(running.info), since: local(running.info.createdAt) };

  const ringing = calls.filter(({ info }) => info.state === 'incoming');
  const [first] = ringing;
  if (first) {
    return {
      at: 'incoming',
      call: phoneCall(first.info),
      ringingSince: ringingSince.get(first.info.callId) ?? now,
      expiresAt: first.expiresAt && first.expiresAt.getTime() - clockOffsetMs,
      more: ringing.length - 1,
      answering: answering === first.info.callId,
    };
  }

  if (!ended) return { at: 'idle' };
  return {
    at: 'ended',
    call: phoneCall(ended),
    talkedSeconds: secondsBetween(ended.answeredAt, ended.endedAt),
    outcome: {
      reason: ended.terminationReason,
      by: ended.terminatedBy,
      failure: ended.failureDetails?.message ?? null,
    },
  };
}

/** A line without a name is called by its number. */
export const phoneLines = (lines: readonly DialLine[]): PhoneLine[] =>
  lines.map(({ ref, address, displayName }) => ({ ref, address, name: displayName ?? address }));

export function phoneCall(info: Readonly<AgentCall>): PhoneCall {
  const { callId, direction, customer, channel, queue, assignmentType } = info;
  return {
    id: callId,
    direction,
    customerName: customer.name,
    customerAddress: customer.address,
    line: channel.displayName ?? (channel.address || null),
    queue: queue?.name ?? null,
    assignment: assignmentType,
  };
}

const placedCall = ({ number, line }: Placing): PhoneCall => ({
  id: PLACING_ID,
  direction: 'OUTBOUND',
  customerName: null,
  customerAddress: number,
  line,
  queue: null,
  assignment: null,
});

function audioOf({ here, media }: CallFacts): PhoneAudio {
  if (!here) return 'elsewhere';
  if (media === 'connected') return 'here';
  return media === 'reconnecting' ? 'reconnecting' : 'connecting';
}

const secondsBetween = (from: string | null, to: string | null): number =>
  from === null || to === null ? 0 : Math.round((Date.parse(to) - Date.parse(from)) / 1000);
