/** A stored part of a ladder. */
import { inflateRawSync } from 'node:zlib';
import { ladderPart } from '@clarion/protocol/ladder';
import type { LadderPart } from '@clarion/protocol/ladder';

/** Far more than the limits of a call's legs allow. */
const MAX_PART_BYTES = 16 * 1024 * 1024;

export const readPart = (data: Uint8Array): LadderPart =>
  ladderPart.parse(JSON.parse(inflateRawSync(data, { maxOutputLength: MAX_PART_BYTES }).toString('utf8')));
