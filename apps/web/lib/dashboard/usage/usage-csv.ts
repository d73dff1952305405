/** Usage records as rows of a spreadsheet, with the names of the fields of the API. Pure. */
import { toCsv } from '../csv.ts';
import { marginOf, type UsageRecord } from './usage-figures.ts';

const HEADER = [
  'id',
  'createdAt',
  'day',
  'tenantRef',
  'kind',
  'callId',
  'direction',
  'channelType',
  'trunkOwner',
  'seconds',
  'connectedSeconds',
  'billedSeconds',
  'quantity',
  'carrierCost',
  'carrierCurrency',
  'carrierReason',
  'platformCost',
  'platformCurrency',
  'tenantCharge',
  'tenantCurrency',
  'method',
  'markupPercent',
  'margin',
  'marginCurrency',
];

/** Amounts are written as numbers in the notation of the API: cells of text would not add up, and a negative one would get an apostrophe. */
const number = (amount: string | null | undefined): number | null =>
  amount === null || amount === undefined ? null : Number(amount);

export const usageCsv = (records: readonly UsageRecord[]): string =>
  toCsv([
    HEADER,
    ...records.map((record) => {
      const [charge] = record.tenantCharges;
      const margin = marginOf(record);
      return [
        record.id,
        record.createdAt,
        record.day,
        record.tenantRef,
        record.kind,
        record.callId,
        record.direction,
        record.channelType,
        record.trunkOwner,
        record.seconds,
        record.connectedSeconds,
        record.billedSeconds,
        number(record.quantity),
        number(record.carrierCost.amount),
        record.carrierCost.currency,
        record.carrierCost.reason,
        number(record.platformCost?.amount),
        record.platformCost?.currency ?? null,
        number(charge?.amount),
        charge?.currency ?? null,
        charge?.method ?? null,
        number(charge?.markupPercent),
        number(margin?.amount),
        margin?.currency ?? null,
      ];
    }),
  ]);
