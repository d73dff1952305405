/** The Range header of a download (RFC 9110 section 14). One range is served; several ranges or an invalid one are ignored. */
import type { ByteRange } from '@clarion/store/driver';

/** @returns null: the whole file; 'unsatisfiable': the range is outside the file */
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
