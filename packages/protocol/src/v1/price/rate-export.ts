/** The export of a rate deck as a file (docs/requirements.md#prices). */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { lowercaseEnum, orDefault } from '../fields/fields.ts';
import { entryFilters, toEntryFilters } from './rate-entries.ts';

export const exportFormats = ['csv', 'xlsx'] as const;
export const CSV = 'text/csv';
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export const exportRateDeckQuery = z
  .object({
    ...entryFilters,
    format: orDefault(lowercaseEnum(exportFormats), 'csv').describe('The file format.'),
  })
  .transform(({ format, ...rest }) => ({ ...toEntryFilters(rest), format }));
export type ExportRateDeck = z.output<typeof exportRateDeckQuery>;

export const rateExportEndpoints = {
  exportRateDeck: defineEndpoint({
    method: 'GET',
    path: '/v1/rate-decks/{deckId}/export',
    summary:
      'Exports the entries as a CSV or XLSX file with the headings Destination, Prefix, Rate, Effective Date, Initial Period, Recurring Period and Connection Fee.',
    query: exportRateDeckQuery,
    answer: { status: 200, file: [CSV, XLSX] },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: {
      path: { deckId: 20 },
      query: 'format=csv',
      answer:
        'Destination,Prefix,Rate,Effective Date,Initial Period,Recurring Period,Connection Fee\r\n"United Kingdom, London",4420,0.012,2026-01-05,60,1,0\r\n',
    },
  }),
};
