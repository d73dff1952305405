/** What a file is, by what it begins with; the names and types that callers give are only compared with this. Pure. */
import type { AudioMimeType } from '@clarion/protocol/v1/tenant/audio';

export type SoundKind = 'wav' | 'mp3' | 'vorbis' | 'opus';

const MIME_TYPES = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  vorbis: 'audio/ogg',
  opus: 'audio/ogg',
} as const satisfies Record<SoundKind, AudioMimeType>;
const EXTENSIONS = { wav: 'wav', mp3: 'mp3', vorbis: 'ogg', opus: 'ogg' } as const satisfies Record<
  SoundKind,
  string
>;
export const mimeTypeOf = (kind: SoundKind): AudioMimeType => MIME_TYPES[kind];
export const extensionOf = (kind: SoundKind): string => EXTENSIONS[kind];

/** An Ogg page's header without its lacing values (RFC 3533 section 6). */
const OGG_HEADER_BYTES = 27;
/** The first page holds one short packet: the codec's identification. */
const CODEC_SEARCH_BYTES = OGG_HEADER_BYTES + 255 + 8;

/** Null when it is none of the sounds we take. */
export function soundKindOf(bytes: Uint8Array): SoundKind | null {
  const begins = (text: string, at = 0) =>
    Buffer.from(bytes.subarray(at, at + text.length)).equals(Buffer.from(text, 'latin1'));
  if (begins('RIFF') && begins('WAVE', 8)) return 'wav';
  if (begins('OggS')) {
    const packetAt = OGG_HEADER_BYTES + (bytes[OGG_HEADER_BYTES - 1] ?? 0);
    if (packetAt > CODEC_SEARCH_BYTES) return null;
    if (begins('OpusHead', packetAt)) return 'opus';
    return begins('\x01vorbis', packetAt) ? 'vorbis' : null;
  }
  // An ID3 tag, or the first frame: eleven bits of one, then version, layer III, and no reserved value.
  const [first = 0, second = 0] = bytes;
  if (begins('ID3')) return 'mp3';
  return first === 0xff && (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08 ? 'mp3' : null;
}
