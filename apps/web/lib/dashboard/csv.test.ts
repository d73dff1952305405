import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellText, toCsv } from './csv.ts';

test('a cell that a spreadsheet would run as a formula becomes text', () => {
  expect(cellText('=HYPERLINK("https://x.example")')).toBe(`"'=HYPERLINK(""https://x.example"")"`);
  expect(cellText('+442079460123')).toBe("'+442079460123");
  expect(cellText('-2+3')).toBe("'-2+3");
  expect(cellText('@sum')).toBe("'@sum");
  expect(cellText(-3)).toBe('-3');
  fc.assert(fc.property(fc.string(), (text) => !/^"?[=+\-@\t\r\n]/.test(cellText(text))));
});

test('commas, quotes and line breaks stay within their cell', () => {
  expect(
    toCsv([
      ['a,b', 'say "hi"', null, 7],
      ['two\nlines', true],
    ]),
  ).toBe('\uFEFF"a,b","say ""hi""",,7\r\n"two\nlines",true\r\n');
});
