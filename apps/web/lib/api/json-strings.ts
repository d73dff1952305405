/** The index of the closing quote of the string that begins at `start`. A string may be a file of 20 MB, so it is not read by character. */
export function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let first = quote;
    while (json[first - 1] === '\\') first -= 1;
    if ((quote - first) % 2 === 0) return quote;
  }
  return json.length;
}
