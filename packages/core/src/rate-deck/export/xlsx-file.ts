/**
 * An XLSX file with one sheet (ECMA-376, part 1), compressed while it is written. The libraries for it keep every cell as an object:
 * 400,000 rows took one of them a gigabyte and 22 s without a pause.
 */
import { strToU8, Zip, ZipDeflate } from 'fflate';
import type { Cell } from '../../csv/csv-line.ts';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SPREADSHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const parts: Record<string, string> = {
  '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT}.worksheet+xml"/></Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${XML}<workbook xmlns="${SPREADSHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="Rates" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
};
const SHEET = 'xl/worksheets/sheet1.xml';
/** Compression of this kind of text hardly improves with higher levels. */
const LEVEL = 3;

export class XlsxFile {
  readonly #chunks: Uint8Array[] = [];
  readonly #zip: Zip;
  readonly #sheet: ZipDeflate;

  constructor() {
    this.#zip = new Zip((error, chunk) => {
      if (error) throw error;
      this.#chunks.push(chunk);
    });
    for (const [name, text] of Object.entries(parts)) {
      const part = new ZipDeflate(name, { level: LEVEL });
      this.#zip.add(part);
      part.push(strToU8(text), true);
    }
    this.#sheet = new ZipDeflate(SHEET, { level: LEVEL });
    this.#zip.add(this.#sheet);
    this.#write(`${XML}<worksheet xmlns="${SPREADSHEET}"><sheetData>`);
  }

  add(rows: readonly (readonly Cell[])[]): void {
    this.#write(rows.map(rowXml).join(''));
  }

  end(): Buffer<ArrayBuffer> {
    this.#sheet.push(strToU8('</sheetData></worksheet>'), true);
    this.#zip.end();
    return Buffer.concat(this.#chunks);
  }

  #write(xml: string): void {
    this.#sheet.push(strToU8(xml));
  }
}

const rowXml = (cells: readonly Cell[]): string => `<row>${cells.map(cellXml).join('')}</row>`;

const cellXml = (cell: Cell): string =>
  typeof cell === 'number'
    ? `<c><v>${cell}</v></c>`
    : `<c t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** XML 1.0 cannot contain most control characters. */
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;
const escaped = (text: string): string =>
  text.replaceAll(FORBIDDEN, '').replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? character);
