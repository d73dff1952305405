/** What a ladder shows of media's facts and of the commands that it receives. Pure. */
import type { LadderLeg } from '@clarion/protocol/ladder';
import {
  mediaCommands,
  type MediaCommand,
  type MediaFact,
  type MediaFactPayload,
  type MediaReplies,
} from '@clarion/protocol/media';
import { maskSdp } from '@clarion/protocol/mask-sdp';

export interface Noted {
  what: string;
  data?: Record<string, string | number | boolean | null>;
}

export function factEntry<F extends MediaFact>(fact: F, payload: MediaFactPayload<F>): Noted[] {
  switch (fact) {
    case 'leg:connected':
      return [{ what: 'connected', data: { codec: (payload as MediaFactPayload<'leg:connected'>).codec } }];
    case 'leg:interrupted':
      return [{ what: 'interrupted' }];
    case 'leg:restored':
      return [{ what: 'restored' }];
    // The digit itself may be part of a card number.
    case 'leg:dtmf':
      return [{ what: 'digit-received' }];
    case 'leg:ended':
      return ended(payload as MediaFactPayload<'leg:ended'>);
    default:
      return [];
  }
}

function ended({ end, stats }: MediaFactPayload<'leg:ended'>): Noted[] {
  const last = { what: 'ended', data: { cause: end.cause, message: end.message } };
  if (!stats) return [last];
  const { receivedPackets, lostPackets, jitterMs, sentPackets, ssrcChanges } = stats;
  const expected = receivedPackets + lostPackets;
  const lossPercent = expected === 0 ? 0 : Math.round((lostPackets / expected) * 1_000) / 10;
  return [
    {
      what: 'quality',
      data: {
        receivedPackets,
        lostPackets,
        lossPercent,
        jitterMs,
        sentPackets: sentPackets ?? null,
        ssrcChanges: typeof ssrcChanges === 'number' ? ssrcChanges : 0,
      },
    },
    last,
  ];
}

interface Exchange {
  callId: number;
  legId: string;
  kind: LadderLeg['kind'];
  agentId: number | null;
  messages: { type: 'offer' | 'answer'; sent: boolean; text: string }[];
  facts: Noted[];
}

/** What a command exchanged with a leg; null: nothing that a ladder shows. WhatsApp's descriptions are in Meta's requests. */
export function sdpOfCommand(command: MediaCommand, payload: unknown, reply: unknown): Exchange | null {
  if (command === 'leg:dtmf') {
    const input = mediaCommands[command].safeParse(payload).data;
    if (!input || (reply as MediaReplies['leg:dtmf'] | null)?.repeated) return null;
    const { callId, legId, digits } = input;
    const facts = [{ what: 'digits-sent', data: { count: digits.length } }];
    return { callId, legId, kind: 'carrier-out', agentId: null, messages: [], facts };
  }
  if (command !== 'agent:connect') return null;
  const input = mediaCommands[command].safeParse(payload).data;
  if (!input) return null;
  const { callId, legId, sdpOffer, as, agentId } = input;
  const answer = (reply as { sdpAnswer?: unknown } | null)?.sdpAnswer;
  return {
    callId,
    legId,
    kind: as ?? 'agent',
    agentId: agentId ?? null,
    messages: [
      { type: 'offer', sent: false, text: maskSdp(sdpOffer) },
      ...(typeof answer === 'string' ? [{ type: 'answer' as const, sent: true, text: maskSdp(answer) }] : []),
    ],
    facts: [],
  };
}
