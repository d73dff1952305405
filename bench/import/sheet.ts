/** A carrier's file of 20 MB, as carriers send them, the same in every run. */

const MAX_BYTES = 20_000_000;
const COUNTRIES = [
  'United Kingdom',
  'Germany',
  'France',
  'India',
  'Brazil',
  'South Africa',
  'Indonesia',
  'Mexico',
];
const KINDS = ['Fixed', 'Mobile', 'Special Services', 'Premium', 'Personal'];

/** @param rise how much dearer each rate is, in millionths */
export function sheet(rise: number): { csv: string; rows: number } {
  const lines = ['Prefix,Destination,Rate,Effective Date,Initial Period,Recurring Period'];
  let bytes = 0;
  for (let row = 0; ; row += 1) {
    const prefix = String(10_000_000 + row * 97);
    const rate = ((((row * 7919) % 90_000) + 100 + rise) / 1_000_000).toFixed(6);
    const line = `${prefix},${COUNTRIES[row % COUNTRIES.length]} ${KINDS[row % KINDS.length]},${rate},,${row % 3 === 0 ? 60 : 1},${row % 3 === 1 ? 6 : 1}`;
    bytes += line.length + 1;
    if (bytes > MAX_BYTES) return { csv: `${lines.join('\n')}\n`, rows: lines.length - 1 };
    lines.push(line);
  }
}
