/** Reads the SIP ladders that a media node sends. */
import { inflateRawSync } from 'node:zlib';
import { ladderMessages, ladderPart, type LadderMessage, type LadderPart } from '@clarion/protocol/ladder';

export const partOf = ({ data }: LadderMessage): LadderPart =>
  ladderPart.parse(JSON.parse(inflateRawSync(Buffer.from(data, 'base64')).toString()));

export const parseLadders = (message: unknown): LadderMessage[] => ladderMessages.parse(message);

/** `→ INVITE`, `← 200 INVITE`, `first-packet-received` …, in order. */
export const linesOf = (part: LadderPart, legId: string): string[] =>
  part.entries
    .filter((entry) => part.legs[entry.leg]?.id === legId)
    .map((entry) => {
      if (entry.kind === 'media') return entry.what;
      if (entry.kind === 'graph') return entry.title;
      const arrow = entry.sent ? '→' : '←';
      if (entry.kind === 'sdp') return `${arrow} ${entry.type}`;
      const [first = ''] = entry.text.split('\r\n');
      const method = /\ncseq: *\d+ *(\w+)/i.exec(entry.text)?.[1] ?? '';
      return first.startsWith('SIP/2.0') ? `${arrow} ${first.split(' ')[1]} ${method}` : `${arrow} ${method}`;
    });
