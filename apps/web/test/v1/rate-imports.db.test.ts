import { strFromU8, unzipSync } from 'fflate';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let key: string;
let deckId: number;
beforeAll(async () => {
  web = await startWeb();
  key = (await web.consumer('acme')).apiKey;
});
afterAll(() => web.stop());
beforeEach(async () => {
  web.setNow(start);
  deckId = (await call('createRateDeck', { key, body: { name: 'Carrier', kind: 'BUY' } })).json.deck.id;
});
afterEach(() => web.setNow(null));

const stagedRows = async () => {
  const rows = await web.runtime.db.$queryRaw<
    { count: number }[]
  >`select count(*)::int as "count" from "RateStaging"`;
  return rows[0]?.count;
};
const start = new Date('2026-05-04T10:00:00.000Z');
const at = (iso: string) => web.setNow(new Date(iso));

const send = (csv: string, body: Record<string, unknown> = {}) =>
  call('importRateDeck', { key, path: { deckId }, body: { csv, ...body } });
async function imported(csv: string, body: Record<string, unknown> = {}) {
  const { json } = await send(csv, body);
  if (!('import' in json)) throw new Error('the import was a dry run');
  const { rows, added, changed, ended, unchanged, skipped } = json.import;
  return { rows, added, changed, ended, unchanged, skipped };
}
const preview = async (csv: string, body: Record<string, unknown> = {}) =>
  (await call('previewRateImport', { key, path: { deckId }, body: { csv, ...body } })).json;
/** The prices of a prefix over time: `rate from → to`. */
async function prices(query = ''): Promise<string[]> {
  const found: string[] = [];
  for (const status of ['ENDED', 'CURRENT', 'SCHEDULED']) {
    const { entries } = (
      await call('listRateEntries', { key, path: { deckId }, query: `status=${status}&limit=500${query}` })
    ).json;
    for (const entry of entries)
      found.push(
        `${status} ${entry.prefix} ${entry.rate} ${short(entry.effectiveFrom)} → ${short(entry.effectiveTo)}`,
      );
  }
  return found;
}
const short = (iso: string | null) =>
  iso === null ? 'open' : iso.replace(':00.000Z', '').replace('T00:00', '');
const counts = { rows: 0, added: 0, changed: 0, ended: 0, unchanged: 0, skipped: 0 };

describe('a file', () => {
  test('sets prices, and the same file again changes nothing and keeps the entries', async () => {
    const csv = 'Prefix,Destination,Rate\r\n44,"United Kingdom, all",0.01\r\n49,Germany,0.02\r\n';
    expect(await imported(csv, { file_name: 'may.csv' })).toEqual({ ...counts, rows: 2, added: 2 });
    const before = (await call('listRateEntries', { key, path: { deckId } })).json.entries;
    at('2026-05-05T10:00:00.000Z');
    expect(await imported(csv)).toEqual({ ...counts, rows: 2, unchanged: 2 });
    expect((await call('listRateEntries', { key, path: { deckId } })).json.entries).toEqual(before);
    const { imports } = (await call('getRateDeck', { key, path: { deckId } })).json;
    expect(imports.map(({ kind, mode, fileName }) => [kind, mode, fileName])).toEqual([
      ['FILE', 'FULL', null],
      ['FILE', 'FULL', 'may.csv'],
    ]);
  });

  test('that is complete ends what it lacks; changes leave it', async () => {
    await imported('Prefix,Rate\n44,0.01\n49,0.02\n');
    at('2026-05-05T10:00:00.000Z');
    expect(await imported('Prefix,Rate\n44,0.03\n', { mode: 'changes' })).toEqual({
      ...counts,
      rows: 1,
      changed: 1,
    });
    expect(await prices()).toEqual([
      'ENDED 44 0.01 2026-05-04T10:00 → 2026-05-05T10:00',
      'CURRENT 44 0.03 2026-05-05T10:00 → open',
      'CURRENT 49 0.02 2026-05-04T10:00 → open',
    ]);
    at('2026-05-06T10:00:00.000Z');
    expect(await imported('Prefix,Rate\n44,0.03\n')).toEqual({ ...counts, rows: 1, unchanged: 1, ended: 1 });
    expect(await prices('&q=49')).toEqual(['ENDED 49 0.02 2026-05-04T10:00 → 2026-05-06T10:00']);
  });

  test('of the future schedules prices, and ends what it lacks at its earliest date', async () => {
    await imported('Prefix,Rate\n44,0.01\n49,0.02\n33,0.05\n');
    const csv = 'Prefix,Rate,Effective Date\n44,0.03,2026-06-01\n33,0.05,2026-06-01\n7,0.2,2026-07-01\n';
    expect(await imported(csv)).toEqual({ ...counts, rows: 3, added: 1, changed: 1, unchanged: 1, ended: 1 });
    expect(await prices()).toEqual([
      'CURRENT 33 0.05 2026-05-04T10:00 → open',
      'CURRENT 44 0.01 2026-05-04T10:00 → 2026-06-01',
      'CURRENT 49 0.02 2026-05-04T10:00 → 2026-06-01',
      'SCHEDULED 44 0.03 2026-06-01 → open',
      'SCHEDULED 7 0.2 2026-07-01 → open',
    ]);
  });

  test('that is complete replaces what was scheduled; changes keep it', async () => {
    await imported('Prefix,Rate,Date\n44,0.01,\n44,0.03,2026-06-01\n49,0.02,2026-06-01\n');
    expect(await imported('Prefix,Rate\n44,0.02\n', { mode: 'CHANGES' })).toEqual({
      ...counts,
      rows: 1,
      changed: 1,
    });
    expect(await prices('&q=44')).toEqual([
      'CURRENT 44 0.02 2026-05-04T10:00 → 2026-06-01',
      'SCHEDULED 44 0.03 2026-06-01 → open',
    ]);
    at('2026-05-05T10:00:00.000Z');
    expect(await imported('Prefix,Rate\n44,0.02\n')).toEqual({ ...counts, rows: 1, unchanged: 1, ended: 2 });
    expect(await prices()).toEqual(['CURRENT 44 0.02 2026-05-04T10:00 → open']);
  });

  test('does not postpone an end that an earlier file set', async () => {
    await imported('Prefix,Rate\n44,0.01\n49,0.02\n33,0.05\n');
    await imported('Prefix,Rate,Date\n44,0.01,2026-06-01\n');
    const later = 'Prefix,Rate,Date\n44,0.01,2026-08-01\n49,0.02,2026-07-01\n';
    const expected = { ...counts, rows: 2, added: 1, unchanged: 1 };
    expect((await preview(later)).preview).toMatchObject({
      ...expected,
      changes: [{ prefix: '49', change: 'ADDED', oldRate: null }],
    });
    expect(await imported(later)).toEqual(expected);
    expect(await prices()).toEqual([
      'CURRENT 33 0.05 2026-05-04T10:00 → 2026-06-01',
      'CURRENT 44 0.01 2026-05-04T10:00 → open',
      'CURRENT 49 0.02 2026-05-04T10:00 → 2026-06-01',
      'SCHEDULED 49 0.02 2026-07-01 → open',
    ]);
    expect(await imported('Prefix,Rate\n49,0.02\n', { mode: 'CHANGES' })).toMatchObject({ unchanged: 1 });
    expect(await prices('&q=49')).toEqual([
      'CURRENT 49 0.02 2026-05-04T10:00 → 2026-07-01',
      'SCHEDULED 49 0.02 2026-07-01 → open',
    ]);
  });

  test('lets a price go on if the one that follows it is dropped', async () => {
    const before = 'Prefix,Rate,Date\n44,0.01,\n44,0.03,2026-06-01\n49,0.02,\n49,0.04,2026-06-01\n';
    await imported(before);
    await imported('Prefix,Rate,Date\n44,0.05,2026-06-15\n');
    expect(await prices()).toEqual([
      'CURRENT 44 0.01 2026-05-04T10:00 → 2026-06-15',
      'CURRENT 49 0.02 2026-05-04T10:00 → 2026-06-15',
      'SCHEDULED 44 0.05 2026-06-15 → open',
    ]);
  });

  test('with another price for a scheduled date replaces that price', async () => {
    await imported('Prefix,Rate,Date\n44,0.01,\n44,0.03,2026-06-01\n');
    expect(await imported('Prefix,Rate,Date\n44,0.04,2026-06-01\n', { mode: 'CHANGES' })).toEqual({
      ...counts,
      rows: 1,
      changed: 1,
    });
    expect(await prices()).toEqual([
      'CURRENT 44 0.01 2026-05-04T10:00 → 2026-06-01',
      'SCHEDULED 44 0.04 2026-06-01 → open',
    ]);
  });

  test('of the past prices only the time that had no price', async () => {
    expect(await imported('Prefix,Rate,Date\n44,0.01,2026-04-01\n')).toEqual({
      ...counts,
      rows: 1,
      added: 1,
    });
    expect(await prices()).toEqual(['CURRENT 44 0.01 2026-04-01 → open']);
    const csv = 'Prefix,Rate,Date\n44,0.02,2026-03-01\n49,0.05,2026-03-01\n49,0.06,2026-04-01\n';
    await imported(csv, { mode: 'CHANGES' });
    expect(await prices()).toEqual([
      'ENDED 44 0.02 2026-03-01 → 2026-04-01',
      'ENDED 44 0.01 2026-04-01 → 2026-05-04T10:00',
      'ENDED 49 0.05 2026-03-01 → 2026-04-01',
      'CURRENT 44 0.02 2026-05-04T10:00 → open',
      'CURRENT 49 0.06 2026-04-01 → open',
    ]);
  });

  test('that repeats a prefix and date: the first row stands', async () => {
    const csv = 'Prefix,Rate\n44,0.01\n44,0.02\n44,0.01\n+44,0.03\n';
    expect(await imported(csv)).toEqual({ ...counts, rows: 4, added: 1, skipped: 3 });
    expect((await preview(csv)).preview).toMatchObject({
      unchanged: 1,
      skippedRows: [3, 4, 5].map((line) => ({
        line,
        reason: 'An earlier row has the same prefix and date.',
      })),
    });
  });

  test('with unreadable rows imports the others and names those by line', async () => {
    const csv = 'Prefix,Rate\n44,0.01\n\nUK,0.02\n"49",free\n4.479E+11,0.1\n';
    const { preview: shown } = await preview(csv);
    expect(shown).toMatchObject({ rows: 4, added: 1, skipped: 3 });
    expect(shown?.skippedRows).toEqual([
      { line: 4, reason: 'The prefix "UK" is not 1 to 15 digits.' },
      { line: 5, reason: 'The rate "free" is not a decimal amount of 0 or more.' },
      { line: 6, reason: 'The prefix "4.479E+11" is in exponential form, so its digits are lost.' },
    ]);
    expect(await imported(csv)).toMatchObject({ rows: 4, added: 1, skipped: 3 });
  });

  test('that is complete leaves the prices of prefixes whose rows cannot be read', async () => {
    await imported(
      'Prefix,Rate,Date\n44,0.01,\n44,0.02,2026-06-01\n49,0.03,\n49,0.04,2026-06-01\n33,0.05,\n',
    );
    at('2026-05-05T10:00:00.000Z');
    const csv = 'Prefix,Rate,Date\n44,0.01,\n44,free,2026-06-01\n+49,n/a,\n';
    const expected = { ...counts, rows: 3, unchanged: 1, ended: 1, skipped: 2 };
    expect((await preview(csv)).preview).toMatchObject({
      ...expected,
      changes: [{ prefix: '33', change: 'ENDED' }],
    });
    expect(await imported(csv)).toEqual(expected);
    expect(await prices()).toEqual([
      'ENDED 33 0.05 2026-05-04T10:00 → 2026-05-05T10:00',
      'CURRENT 44 0.01 2026-05-04T10:00 → 2026-06-01',
      'CURRENT 49 0.03 2026-05-04T10:00 → 2026-06-01',
      'SCHEDULED 44 0.02 2026-06-01 → open',
      'SCHEDULED 49 0.04 2026-06-01 → open',
    ]);
    expect(await stagedRows()).toBe(0);
  });

  test('with semicolons, a byte order mark and decimal commas is read', async () => {
    const csv =
      '\uFEFFZone;Dial Code;Recurring Charge;Setup Fee\r\n"Vereinigtes Königreich; London";0044 20;0,0125;1,5\r\n';
    await imported(csv);
    const [entry] = (await call('listRateEntries', { key, path: { deckId } })).json.entries;
    expect(entry).toMatchObject({
      prefix: '4420',
      destination: 'Vereinigtes Königreich; London',
      rate: '0.0125',
      connectionFee: '1.5',
    });
  });
});

describe('the reading', () => {
  test('shows columns, dates and blocks, and the next file is read the same way', async () => {
    const csv = 'Nummer,Betrag,Ab\n44,0.01,13/01/2026\n';
    const columns = { prefix: 'Nummer', rate: 'Betrag', effective_from: 'Ab' };
    const { reading } = await preview(csv, { columns, default_increment_seconds: 1 });
    expect(reading).toMatchObject({
      header: ['Nummer', 'Betrag', 'Ab'],
      columns: { prefix: 'Nummer', rate: 'Betrag', effectiveFrom: 'Ab', destination: null },
      found: { prefix: 'given', rate: 'given', effectiveFrom: 'given', destination: null },
      missing: [],
      dates: { format: 'DD/MM/YYYY', found: 'file', sure: true, sample: '13/01/2026' },
      periods: { inFile: false, initialSeconds: 60, incrementSeconds: 1, found: 'given' },
    });
    await imported(csv, { columns, default_increment_seconds: 1 });
    const next = (await preview('Nummer,Betrag,Ab\n44,0.01,01/02/2026\n')).reading;
    expect(next).toMatchObject({
      found: { prefix: 'last', rate: 'last', effectiveFrom: 'last' },
      dates: { format: 'DD/MM/YYYY', found: 'last', sure: true },
      periods: { incrementSeconds: 1, found: 'last' },
    });
  });

  test('is not sure of a date that fits both orders', async () => {
    expect((await preview('Prefix,Rate,Date\n44,0.01,01/02/2026\n')).reading.dates).toEqual({
      format: 'DD/MM/YYYY',
      found: 'default',
      sure: false,
      sample: '01/02/2026',
    });
  });

  test('leaves out an optional column that the request says is none, and so in the next file', async () => {
    const csv = 'Code,Price,Setup fee\n4420,0.01,0.5\n';
    expect((await preview(csv)).reading).toMatchObject({ columns: { connectionFee: 'Setup fee' } });
    expect((await preview(csv, { columns: { connection_fee: null } })).reading).toMatchObject({
      columns: { prefix: 'Code', connectionFee: null },
      found: { prefix: 'heading', connectionFee: 'given', destination: null },
    });
    await imported(csv, { columns: { connection_fee: null } });
    expect((await preview(csv)).reading).toMatchObject({
      columns: { connectionFee: null },
      found: { connectionFee: 'last', destination: null },
    });
    const named = { columns: { connection_fee: 'Setup fee' } };
    expect((await preview(csv, named)).reading).toMatchObject({ columns: { connectionFee: 'Setup fee' } });
  });

  test('of a file without the columns has no preview and cannot be imported', async () => {
    const { reading, preview: none } = await preview('A,Price\n44,0.01\n');
    expect(reading.missing).toEqual(['prefix']);
    expect(none).toBeNull();
    expectError(await send('A,Price\n44,0.01\n'), 400, 'invalid_request', 'columns');
    const unknown = await send('A,B\n44,0.01\n', { columns: { rate: 'Price' } });
    expectError(unknown, 400, 'invalid_request', 'columns');
    expect(unknown.error?.message).toBe('The file has no column "Price", which columns.rate names.');
  });

  test('of a file without a readable row, or of no CSV, names csv', async () => {
    for (const csv of ['Prefix,Rate\n', 'Prefix,Rate\nUK,free\n', '\n \n'])
      expectError(await send(csv), 400, 'invalid_request', 'csv');
  });

  test('of a file that is not CSV from some row on names csv, and stages nothing', async () => {
    const rows = '44,0.01\n'.repeat(5_000);
    for (const rest of ['49,"0.02\n', `49,"${'x'.repeat(70_000)}`, `49,"${'x'.repeat(70_000)}"\n`]) {
      const answer = await send(`Prefix,Rate\n${rows}${rest}`);
      expectError(answer, 400, 'invalid_request', 'csv');
      expect(answer.error?.message).toContain('csv cannot be read');
    }
    expect(await stagedRows()).toBe(0);
  });
});

describe('a dry run', () => {
  test('lists what would change and changes nothing', async () => {
    await imported('Prefix,Rate\n44,0.01\n49,0.02\n');
    const csv = 'Prefix,Destination,Rate\n44,UK,0.03\n7,Russia,0.1\n';
    const dry = (await send(csv, { dry_run: true })).json;
    expect(dry).toEqual(await preview(csv));
    expect('preview' in dry && dry.preview).toMatchObject({
      mode: 'FULL',
      rows: 2,
      added: 1,
      changed: 1,
      ended: 1,
      changes: [
        {
          prefix: '44',
          change: 'CHANGED',
          oldRate: '0.01',
          newRate: '0.03',
          effectiveFrom: start.toISOString(),
        },
        { prefix: '7', change: 'ADDED', destination: 'Russia', oldRate: null, newRate: '0.1' },
        { prefix: '49', change: 'ENDED', oldRate: '0.02', newRate: null },
      ],
    });
    expect(await prices()).toHaveLength(2);
    expect(await stagedRows()).toBe(0);
    expect((await call('getRateDeck', { key, path: { deckId } })).json.imports).toHaveLength(1);
  });
});

test('an import under an Idempotency-Key runs once, and a failed one leaves nothing staged', async () => {
  const csv = 'Prefix,Rate\n44,0.01\n';
  const options = { key, path: { deckId }, body: { csv }, headers: { 'idempotency-key': 'sheet-1' } };
  const first = await call('importRateDeck', options);
  const again = await call('importRateDeck', options);
  expect(again.json).toEqual(first.json);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await call('getRateDeck', { key, path: { deckId } })).json.imports).toHaveLength(1);
  expectError(await send('Prefix,Rate\nx,y\n'), 400, 'invalid_request', 'csv');
  expect(await stagedRows()).toBe(0);
});

test('two imports at once are applied one after the other', async () => {
  const sheet = (rate: string) =>
    `Prefix,Rate\n${Array.from({ length: 300 }, (_, n) => `44${n},${rate}`).join('\n')}\n`;
  const answers = await Promise.all(['0.01', '0.02', '0.03'].map((rate) => send(sheet(rate))));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { stats } = (await call('getRateDeck', { key, path: { deckId } })).json;
  expect(stats).toMatchObject({ rowsInForce: 300, minRate: stats.maxRate });
});

test('a large file is read as a small one, and its Idempotency-Key belongs to its content', async () => {
  const rows = Array.from(
    { length: 12_000 },
    (_, row) => `${100_000 + row};"Zürich ""${row}""";0,5;31.05.2026`,
  );
  const csv = ['Code;Zone;Price;Valid from', ...rows].join('\r\n');
  const options = { key, path: { deckId }, headers: { 'idempotency-key': 'large' } };
  const { json } = await call('importRateDeck', { ...options, body: { csv } });
  expect(json).toMatchObject({ import: { rows: 12_000, added: 12_000, skipped: 0 } });
  expect((await call('importRateDeck', { ...options, body: { csv } })).json).toEqual(json);
  const other = csv.replace('""11999""', '""12""');
  expectError(
    await call('importRateDeck', { ...options, body: { csv: other } }),
    422,
    'idempotency_key_reused',
  );
  expect(await prices('&q=111999')).toEqual(['SCHEDULED 111999 0.5 2026-05-31 → open']);
});

test('more than 20 MB of CSV is rejected', async () => {
  const csv = `Prefix,Rate\n${'44,0.01\n'.repeat(2_700_000)}`;
  expectError(await send(csv), 413, 'invalid_request');
});

describe('an export', () => {
  const exported = (query = '') => call('exportRateDeck', { key, path: { deckId }, query });
  const sheet = [
    'Destination,Prefix,Rate,Effective Date,Initial Period,Recurring Period,Connection Fee',
    '"United Kingdom, ""London""",4420,0.012,2026-05-04,60,1,0.05',
    "'=SUM(A1),49,0.02,2026-05-04,60,60,0",
    ',7,0.1,2026-06-01,30,6,0',
    '',
  ].join('\r\n');

  test('is the sheet that was imported, and importing it changes nothing', async () => {
    await imported(sheet);
    const answer = await exported();
    expect(answer.text).toBe(sheet);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="rate-deck-${deckId}.csv"`);
    const [, formula] = (await call('listRateEntries', { key, path: { deckId } })).json.entries;
    expect(formula?.destination).toBe('=SUM(A1)');
    at('2026-05-20T10:00:00.000Z');
    expect(await imported(answer.text)).toEqual({ ...counts, rows: 3, unchanged: 3 });
    expect((await exported('status=scheduled')).text.split('\r\n')).toHaveLength(3);
  });

  test('as XLSX is a workbook with the same cells', async () => {
    await imported(sheet);
    const answer = await exported('format=xlsx&q=UNITED');
    expect(answer.headers.get('content-disposition')).toContain('.xlsx');
    const { bytes } = answer;
    const files = unzipSync(bytes);
    expect(Object.keys(files).toSorted()).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'xl/_rels/workbook.xml.rels',
      'xl/workbook.xml',
      'xl/worksheets/sheet1.xml',
    ]);
    const rows = strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array())
      .split('<row>')
      .slice(1)
      .map((row) => [...row.matchAll(/<(?:t xml:space="preserve"|v)>([^<]*)</g)].map(([, cell]) => cell));
    expect(rows).toEqual([
      sheet.split('\r\n')[0]?.split(','),
      ['United Kingdom, "London"', '4420', '0.012', '2026-05-04', '60', '1', '0.05'],
    ]);
  });
});
