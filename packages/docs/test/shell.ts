/** Splits a shell command into words. Handles quotes and line continuations, keeps variables, and treats `$(…)` as part of a word. */

export function shellWords(text: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let at = 0;
  const until = (end: string) => {
    const close = text.indexOf(end, at + 1);
    if (close < 0) throw new Error(`${end} is not closed in: ${text}`);
    return close;
  };
  for (; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '\\' && text[at + 1] === '\n') at += 1;
    else if (/\s/.test(sign)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (sign === '$' && text[at + 1] === '(') {
      const close = until(')');
      word = `${word ?? ''}${text.slice(at, close + 1)}`;
      at = close;
    } else if (sign === "'" || sign === '"') {
      const close = until(sign);
      word = `${word ?? ''}${text.slice(at + 1, close)}`;
      at = close;
    } else word = `${word ?? ''}${sign}`;
  }
  if (word !== null) words.push(word);
  return words;
}

export interface CurlCall {
  method: string;
  url: string;
  headers: string[];
  body: string | null;
}

/** @throws on an option that these pages do not use */
export function parseCurl(command: string): CurlCall {
  const [curl, ...words] = shellWords(command);
  if (curl !== 'curl') throw new Error(`not curl: ${command}`);
  const call: CurlCall = { method: 'GET', url: '', headers: [], body: null };
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (word === '|') break;
    if (word === '-sS') continue;
    if (word === '>') {
      words.shift();
      continue;
    }
    if (word === '-X') call.method = words.shift() ?? '';
    else if (word === '-H') call.headers.push(words.shift() ?? '');
    else if (word === '-d') call.body = words.shift() ?? '';
    else if (word.startsWith('-') || call.url !== '') throw new Error(`unexpected ${word} in: ${command}`);
    else call.url = word;
  }
  return call;
}

/** The curl commands of a block, each with its continuation lines. */
export const curlsIn = (block: string): string[] =>
  block
    .replaceAll(/cat > \S+ <<'EOF'\n.*?\nEOF/gs, '')
    .split(/(?<!\\)\n/)
    .filter((line) => line.startsWith('curl '));
