/** The Range header of a download (RFC 9110 section 14). One range is served; several, or one that cannot be read, count as none. */
import type { ByteRange } from '@clarion/store/driver';

/** @returns null: the whole file; 'unsatisfiable': nothing of the file lies in the range */
export function readRange(header: string | null, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return null;
  if (from === '') {
    const last = Math.min(Number(to), sizeBytes);
    return last === 0 ? 'unsatisfiable' : { start: sizeBytes - last, end: sizeBytes - 1 };
  }
  const start = Number(from);
  if (to !== '' && Number(to) < start) return null;
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1) };
}
