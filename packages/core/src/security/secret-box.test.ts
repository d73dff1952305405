import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSecretBox } from './secret-box.ts';

const masterKey = () => randomBytes(32).toString('base64');

test('a text is decrypted for its purpose only, and every ciphertext is different', () => {
  const box = createSecretBox([masterKey()]);
  const sealed = box.seal('push-token', 'geheim ☎');
  expect(sealed).not.toContain('geheim');
  expect(box.open('push-token', sealed)).toBe('geheim ☎');
  expect(box.seal('push-token', 'geheim ☎')).not.toBe(sealed);
  expect(() => box.open('push-credentials', sealed)).toThrow();
  expect(() => createSecretBox([masterKey()]).open('push-token', sealed)).toThrow('unknown key');
  for (let at = 0; at < sealed.length; at += 7) {
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
    expect(() => box.open('push-token', changed)).toThrow();
  }
});

test('a fingerprint is stable, and different for another text, purpose or key', () => {
  const key = masterKey();
  const [print] = createSecretBox([key]).fingerprints('push-token', 'token');
  expect(print).toMatch(/^[0-9a-f]{64}$/);
  expect(createSecretBox([key]).fingerprints('push-token', 'token')).toEqual([print]);
  const others = [
    createSecretBox([key]).fingerprints('push-token', 'token2'),
    createSecretBox([key]).fingerprints('push-credentials', 'token'),
    createSecretBox([masterKey()]).fingerprints('push-token', 'token'),
  ];
  expect(new Set([print, ...others.flat()]).size).toBe(4);
});

test('after a rotation the new key encrypts, and texts and fingerprints of the old one still work', () => {
  const [old, fresh] = [masterKey(), masterKey()];
  const before = createSecretBox([old]);
  const after = createSecretBox([fresh, old]);
  expect(after.open('push-token', before.seal('push-token', 'kept'))).toBe('kept');
  expect(() => before.open('push-token', after.seal('push-token', 'new'))).toThrow('unknown key');
  expect(after.fingerprints('push-token', 'kept')).toEqual([
    createSecretBox([fresh]).fingerprints('push-token', 'kept')[0],
    before.fingerprints('push-token', 'kept')[0],
  ]);
});
