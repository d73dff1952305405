/** A `.tgz` in npm's format: gzipped POSIX ustar with everything below `package/`. The output is reproducible. */
import { gzipSync } from 'node:zlib';

const BLOCK = 512;
/** The timestamp that npm itself writes into tarballs. */
const MODIFIED = Date.parse('1985-10-26T08:15:00Z') / 1000;
const NAME_MAX_BYTES = 100;

export function tarball(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const parts = Object.entries(files)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, content]) => {
      const bytes = Buffer.from(content);
      const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK);
      return [header(`package/${name}`, bytes.length), bytes, padding];
    });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]));
}

/** IEEE Std 1003.1, pax, ustar Interchange Format. */
function header(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > NAME_MAX_BYTES) throw new RangeError(`${name} is too long for a tarball.`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(value.toString(8).padStart(length - 1, '0'), at);
  block.write(name, 0);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(MODIFIED, 136, 12);
  block.fill(' ', 148, 156);
  block.write('0', 156);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
