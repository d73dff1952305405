import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findColumns, leftOutOf } from './columns.ts';
import { findOrder, orderShownBy, readDate } from './dates.ts';
import { allowsDecimalComma, findDelimiter } from './delimiter.ts';
import { readRow, type RowRules, type SheetCells } from './sheet-row.ts';

describe('the delimiter', () => {
  test.each([
    ['Prefix,Rate\n44,0.01', ','],
    ['\uFEFF\r\n"Zone; name";Code;Price\r\n', ';'],
    ['Code\tRate', '\t'],
    ['Code|Rate|Zone', '|'],
    ['Prefix', ','],
    ['', ','],
  ])('of %j is %j', (csv, delimiter) => {
    expect(findDelimiter(csv)).toBe(delimiter);
  });

  test('decides whether a comma may be the decimal point', () => {
    expect([',', ';', '\t', '|'].map((one) => allowsDecimalComma(one as ','))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('columns', () => {
  test.each([
    ['ours', 'Destination,Prefix,Rate,Effective Date,Initial Period,Recurring Period,Connection Fee'],
    ['JeraSoft', 'Code Name,Code,Rate,Effective Date,Min,Int,SF'],
    [
      'ASTPP',
      'Destination,Code,Cost / Min (USD),Effective date,Initial Increment,Increment,Connection Cost (USD)',
    ],
    ['a carrier', 'ZONE,DIAL CODE,RECURRING CHARGE,VALID FROM,INITIAL PERIOD,BILLING INCREMENT,SETUP FEE'],
  ])('of %s are found by their headings', (_, line) => {
    const [destination, prefix, rate, effectiveFrom, initialSeconds, incrementSeconds, connectionFee] =
      line.split(',');
    const { columns, missing } = findColumns(line.split(','), null, null);
    expect(columns).toEqual({
      destination,
      prefix,
      rate,
      effectiveFrom,
      initialSeconds,
      incrementSeconds,
      connectionFee,
    });
    expect(missing).toEqual([]);
  });

  test('are taken from the request, then from the last import, then from the heading', () => {
    const columns = {
      prefix: 'Nummer',
      rate: 'Old price',
      destination: 'Gone',
      effectiveFrom: null,
      initialSeconds: null,
      incrementSeconds: null,
      connectionFee: null,
    };
    const last = { columns, leftOut: [] };
    const header = ['Nummer', 'Prefix', 'New price', 'Zone'];
    expect(findColumns(header, { rate: ' new PRICE ' }, last)).toMatchObject({
      columns: { prefix: 'Nummer', rate: 'New price', destination: 'Zone' },
      found: { prefix: 'last', rate: 'given', destination: 'heading', effectiveFrom: null },
      missing: [],
      unknown: [],
    });
  });

  test('that are missing or named wrongly are reported', () => {
    expect(findColumns(['A', 'B'], { rate: 'C' }, null)).toMatchObject({
      missing: ['prefix', 'rate'],
      unknown: ['rate'],
    });
  });

  test('that the request leaves out are not found', () => {
    const { columns } = findColumns(['Code', 'Price', 'Setup'], { connectionFee: 'Setup' }, null);
    const last = { columns, leftOut: [] };
    const header = ['Code', 'Price', 'Setup', 'Min', 'Setup fee'];
    const given = { connectionFee: null, initialSeconds: null };
    expect(findColumns(header, given, last)).toMatchObject({
      columns: { prefix: 'Code', rate: 'Price', connectionFee: null, initialSeconds: null },
      found: { prefix: 'last', connectionFee: 'given', initialSeconds: 'given', destination: null },
      missing: [],
      unknown: [],
    });
  });

  test('that the last import left out are left out until they are named', () => {
    const header = ['Code', 'Price', 'Setup fee', 'Zone'];
    const first = findColumns(header, { connectionFee: null, destination: null }, null);
    const last = { columns: first.columns, leftOut: leftOutOf(first) };
    expect(last.leftOut).toEqual(['destination', 'connectionFee']);
    const second = findColumns(header, { destination: 'Zone' }, last);
    expect(second).toMatchObject({
      columns: { prefix: 'Code', destination: 'Zone', connectionFee: null },
      found: { prefix: 'last', destination: 'given', connectionFee: 'last', effectiveFrom: null },
    });
    expect(leftOutOf(second)).toEqual(['connectionFee']);
  });

  test('have one meaning each', () => {
    const { columns } = findColumns(['Code', 'Price'], { destination: 'Code' }, null);
    expect(columns).toMatchObject({ destination: 'Code', prefix: null, rate: 'Price' });
  });
});

describe('dates', () => {
  test.each([
    ['31/01/2026', 'DD/MM/YYYY'],
    ['01.31.2026', 'MM/DD/YYYY'],
    ['2026-01-31', 'YYYY-MM-DD'],
    ['01/02/2026', null],
    ['soon', null],
  ])('%s shows the order %s', (text, order) => {
    expect(orderShownBy(text)).toBe(order);
  });

  test.each([
    ['01/02/2026', 'DD/MM/YYYY', '2026-02-01T00:00:00.000Z'],
    ['01/02/2026', 'MM/DD/YYYY', '2026-01-02T00:00:00.000Z'],
    ['1.2.26', 'DD/MM/YYYY', '2026-02-01T00:00:00.000Z'],
    ['2026-02-01', 'MM/DD/YYYY', '2026-02-01T00:00:00.000Z'],
    ['2026-02-01 10:30:00', 'DD/MM/YYYY', '2026-02-01T10:30:00.000Z'],
    ['2026-02-01T10:30:00.000Z', 'DD/MM/YYYY', '2026-02-01T10:30:00.000Z'],
  ] as const)('%s in the order %s is %s', (text, order, iso) => {
    expect(readDate(text, order)?.toISOString()).toBe(iso);
  });

  test.each(['30/02/2026', '13/13/2026', '2026-02-30', '44927', ''])('%s is no date', (text) => {
    expect(readDate(text, 'DD/MM/YYYY')).toBeNull();
  });

  test('have the order of the request, of the file, of the last import, or day first without certainty', () => {
    expect(findOrder('MM/DD/YYYY', 'DD/MM/YYYY', null)).toMatchObject({
      format: 'MM/DD/YYYY',
      found: 'given',
    });
    expect(findOrder(null, 'DD/MM/YYYY', 'MM/DD/YYYY')).toMatchObject({
      format: 'DD/MM/YYYY',
      found: 'file',
    });
    expect(findOrder(null, null, 'MM/DD/YYYY')).toMatchObject({ format: 'MM/DD/YYYY', found: 'last' });
    expect(findOrder(null, null, null)).toEqual({ format: 'DD/MM/YYYY', found: 'default', sure: false });
  });
});

const rules: RowRules = {
  dateOrder: 'DD/MM/YYYY',
  decimalComma: false,
  initialSeconds: 60,
  incrementSeconds: 1,
};
const cells = (change: Partial<SheetCells> = {}): SheetCells => ({
  prefix: '44',
  rate: '0.01',
  destination: '',
  effectiveFrom: '',
  initialSeconds: '',
  incrementSeconds: '',
  connectionFee: '',
  ...change,
});
const rowOf = (change: Partial<SheetCells>, more: Partial<RowRules> = {}) => {
  const read = readRow(cells(change), { ...rules, ...more });
  return 'row' in read ? read.row : read.skipped;
};

describe('a row', () => {
  test('takes defaults for what it leaves out', () => {
    expect(rowOf({})).toEqual({
      prefix: '44',
      destination: null,
      rate: '0.01',
      connectionFee: '0',
      initialSeconds: 60,
      incrementSeconds: 1,
      effectiveFrom: null,
    });
  });

  test.each([
    ['+44 20', '4420'],
    ['0044', '44'],
    ['1 (242)', '1242'],
    ["'+44", '44'],
  ])('reads the prefix %s as %s', (prefix, read) => {
    expect(rowOf({ prefix })).toMatchObject({ prefix: read });
  });

  test.each(['', '4.479E+11', '38-39', '38,39', 'UK', '1234567890123456', '+'])(
    'with the prefix %j is skipped, with a reason',
    (prefix) => {
      expect(rowOf({ prefix })).toMatch(/^The (row|prefix) .*\.$/);
    },
  );

  test.each([
    ['$0.012', '0.012'],
    ['0.012 USD', '0.012'],
    ['0.0000005', '0.000001'],
    ['0.00000049', '0'],
    ['0.9999995', '1'],
    ['7', '7'],
    ['.012', '0.012'],
    ['€.012', '0.012'],
    ['0.0120 ', '0.012'],
  ])('reads the rate %s as %s', (rate, read) => {
    expect(rowOf({ rate })).toMatchObject({ rate: read });
  });

  test.each(['', '-0.01', '-.01', '.', 'Rs.5', 'n/a', '0,01', '1.2.3', '1e-3'])(
    'with the rate %j is skipped',
    (rate) => {
      expect(rowOf({ rate })).toMatch(/^The rate /);
    },
  );

  test('reads a decimal comma where commas do not separate fields', () => {
    for (const rate of ['0,012', ',012'])
      expect(rowOf({ rate }, { decimalComma: true })).toMatchObject({ rate: '0.012' });
  });

  test.each(['0', '3601', 'x', '1.5'])('with a billing block of %s is skipped', (initialSeconds) => {
    expect(rowOf({ initialSeconds })).toBe('A billing block must be 1 to 3600 seconds.');
  });

  test('with an unreadable date or fee is skipped', () => {
    expect(rowOf({ effectiveFrom: '31/31/2026' })).toContain('is not a date');
    expect(rowOf({ connectionFee: 'free' })).toContain('connection fee');
  });

  test('loses the apostrophe that keeps a formula from running', () => {
    expect(rowOf({ destination: "'=SUM(A1)" })).toMatchObject({ destination: '=SUM(A1)' });
    expect(rowOf({ destination: "'s-Hertogenbosch" })).toMatchObject({ destination: "'s-Hertogenbosch" });
  });

  test('never throws, whatever the cells contain', () => {
    fc.assert(
      fc.property(
        fc.record({ prefix: fc.string(), rate: fc.string(), effectiveFrom: fc.string() }),
        (change) => {
          expect(rowOf(change)).toBeTruthy();
        },
      ),
    );
  });
});
