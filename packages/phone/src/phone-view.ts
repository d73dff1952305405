/** Maps the SDK's calls to the phone's view. Pure. */
import type { AgentCall, DialLine, MediaState, QualityLevel } from '@clarion/sdk';
import type { PhoneAudio, PhoneCall, PhoneLine, PhoneOffer, PhoneView } from '@clarion/ui';

/** The fields of an SDK call that the view needs. */
export interface CallFacts {
  info: Readonly<AgentCall>;
  expiresAt: Date | null;
  muted: boolean;
  held: boolean;
  here: boolean;
  media: MediaState;
  quality: QualityLevel;
  /** The current warnings about the audio. */
  warnings: readonly string[];
}

export interface Placing {
  number: string;
  /** Null: the line is no longer one of the agent's. */
  line: PhoneLine | null;
  since: number;
}

/** The placeholder ID of a call that does not exist yet. */
export const PLACING_ID = 0;

export interface ViewInput {
  calls: CallFacts[];
  /** The call whose summary is still shown. */
  ended: Readonly<AgentCall> | null;
  answering: number | null;
  /** A number that was just dialled, until its call exists. */
  placing: Placing | null;
  /** When each offer was first seen, by call ID. */
  ringingSince: ReadonlyMap<number, number>;
  now: number;
  /** The service's clock minus the local clock. */
  clockOffsetMs: number;
}

/** A live call comes first, then ringing ones, then the summary of the last call. */
export function phoneView(input: ViewInput): PhoneView {
  const { calls, ended, answering, placing, ringingSince, now, clockOffsetMs } = input;
  const local = (time: string) => Date.parse(time) - clockOffsetMs;

  const running = calls.find(({ info }) => info.state === 'active' || info.state === 'dialing');
  if (running?.info.state === 'active') {
    const { info, muted, held, quality, warnings } = running;
    const { recording, transfer, transferFailed } = info;
    return {
      at: 'active',
      call: phoneCall(info),
      answeredAt: info.answeredAt === null ? now : local(info.answeredAt),
      muted,
      held,
      audio: audioOf(running),
      quality,
      warnings: [...warnings],
      recording,
      transfer: transfer && { to: transfer.to.name, kind: transfer.to.kind, since: local(transfer.since) },
      transferFailed,
    };
  }
  if (placing) return { at: 'dialing', call: placedCall(placing), since: placing.since };
  if (running) return { at: 'dialing', call: phoneCall(running.info), since: local(running.info.createdAt) };

  const offers = calls.flatMap(({ info, expiresAt }): PhoneOffer[] =>
    info.state === 'incoming'
      ? [
          {
            call: phoneCall(info),
            ringingSince: ringingSince.get(info.callId) ?? now,
            expiresAt: expiresAt && expiresAt.getTime() - clockOffsetMs,
          },
        ]
      : [],
  );
  const [first, ...others] = offers;
  if (first) return { at: 'incoming', ...first, others, answering };

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

/** The display name of a line, or else its number. A number can be both a phone line and a WhatsApp line. */
export const phoneLines = (lines: readonly DialLine[]): PhoneLine[] =>
  lines.map(({ ref, type, address, displayName, personal }) => ({
    ref,
    address,
    name: displayName ?? (type === 'WHATSAPP' ? `WhatsApp ${address}` : address),
    personal,
    channel: type,
  }));

export function phoneCall(info: Readonly<AgentCall>): PhoneCall {
  const { callId, direction, customer, channel, queue, assignmentType, transferredBy } = info;
  return {
    id: callId,
    direction,
    customerName: customer.name,
    customerAddress: customer.addressWithheld ? null : customer.address,
    customerWithheld: customer.addressWithheld,
    channel: channel.type,
    line: channel.displayName ?? (channel.address || null),
    queue: queue?.name ?? null,
    assignment: assignmentType,
    transferredBy: transferredBy?.name ?? null,
  };
}

const placedCall = ({ number, line }: Placing): PhoneCall => ({
  id: PLACING_ID,
  direction: 'OUTBOUND',
  customerName: null,
  customerAddress: number,
  customerWithheld: false,
  channel: line?.channel ?? null,
  line: line?.name ?? null,
  queue: null,
  assignment: null,
  transferredBy: null,
});

function audioOf({ here, media }: CallFacts): PhoneAudio {
  if (!here) return 'elsewhere';
  if (media === 'connected') return 'here';
  return media === 'reconnecting' ? 'reconnecting' : 'connecting';
}

/** Whole seconds between two times of the service; zero if one is missing. */
export const secondsBetween = (from: string | null, to: string | null): number =>
  from === null || to === null ? 0 : Math.round((Date.parse(to) - Date.parse(from)) / 1000);
