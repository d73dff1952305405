/** The calling settings of a business number: validation and change. Pure. */
import { GraphError, invalidParameter } from './errors.ts';
import { isObject, objectAt, oneOf, textAt, valueAt, type Json } from './fields.ts';

const onOff = ['ENABLED', 'DISABLED'] as const;
const days = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
const MAX_PERIODS_PER_DAY = 2;
const MAX_HOLIDAYS = 20;
const extraCodecs = ['PCMA', 'PCMU'];

export interface CallingSettings {
  readonly status: 'ENABLED' | 'DISABLED';
  readonly callback_permission_status: 'ENABLED' | 'DISABLED';
  readonly sip?: { readonly status: 'ENABLED' | 'DISABLED' };
  readonly [name: string]: unknown;
}

export const defaultSettings: CallingSettings = {
  status: 'ENABLED',
  call_icon_visibility: 'DEFAULT',
  callback_permission_status: 'DISABLED',
  srtp_key_exchange_protocol: 'DTLS',
};

/** Fields that are sent replace those that are stored; `call_hours` is replaced as a whole. */
export function changeSettings(settings: CallingSettings, body: Json, mayEnable: boolean): CallingSettings {
  const calling = objectAt(body, 'calling');
  const has = (name: string): boolean => valueAt(body, `calling.${name}`) !== undefined;
  if (has('status') && oneOf(body, 'calling.status', onOff) === 'ENABLED' && !mayEnable)
    throw new GraphError(138015, 'The messaging limit of the business is too low.');
  if (has('call_icon_visibility')) oneOf(body, 'calling.call_icon_visibility', ['DEFAULT', 'DISABLE_ALL']);
  if (has('callback_permission_status')) oneOf(body, 'calling.callback_permission_status', onOff);
  if (has('srtp_key_exchange_protocol')) oneOf(body, 'calling.srtp_key_exchange_protocol', ['DTLS', 'SDES']);
  if (has('call_hours')) checkCallHours(body);
  if (has('sip')) checkSip(body);
  if (has('audio')) checkAudio(body);
  return { ...settings, ...calling };
}

function checkCallHours(body: Json): void {
  if (oneOf(body, 'calling.call_hours.status', onOff) === 'DISABLED') return;
  const zone = textAt(body, 'calling.call_hours.timezone_id');
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    throw invalidParameter(`Param calling.call_hours.timezone_id is not a time zone: ${zone}.`);
  }
  const name = 'calling.call_hours.weekly_operating_hours';
  const periods = new Map<string, [string, string][]>();
  for (const period of listAt(body, name)) {
    const day = oneOf(period, 'day_of_week', days);
    const hours: [string, string] = [timeAt(period, 'open_time'), timeAt(period, 'close_time')];
    if (hours[0] >= hours[1]) throw invalidParameter(`${name}: close_time must be after open_time.`);
    const others = periods.get(day) ?? [];
    if (others.some(([open, close]) => hours[0] < close && open < hours[1]))
      throw invalidParameter(`${name}: the periods of ${day} overlap.`);
    if (others.length >= MAX_PERIODS_PER_DAY)
      throw invalidParameter(`${name}: ${day} has more than ${MAX_PERIODS_PER_DAY} periods.`);
    periods.set(day, [...others, hours]);
  }
  if (valueAt(body, 'calling.call_hours.holiday_schedule') === undefined) return;
  const holidays = listAt(body, 'calling.call_hours.holiday_schedule');
  if (holidays.length > MAX_HOLIDAYS)
    throw invalidParameter(`calling.call_hours.holiday_schedule has more than ${MAX_HOLIDAYS} entries.`);
  for (const holiday of holidays) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(textAt(holiday, 'date')))
      throw invalidParameter('holiday_schedule: date must be YYYY-MM-DD.');
    timeAt(holiday, 'start_time');
    timeAt(holiday, 'end_time');
  }
}

function checkSip(body: Json): void {
  if (oneOf(body, 'calling.sip.status', onOff) === 'DISABLED') return;
  const servers = listAt(body, 'calling.sip.servers');
  if (servers.length !== 1) throw invalidParameter('calling.sip.servers must have exactly one server.');
  for (const server of servers) textAt(server, 'hostname');
}

function checkAudio(body: Json): void {
  const codecs = valueAt(body, 'calling.audio.additional_codecs');
  if (!Array.isArray(codecs) || codecs.some((codec) => !extraCodecs.includes(String(codec))))
    throw invalidParameter(`calling.audio.additional_codecs must be a list of ${extraCodecs.join(', ')}.`);
}

function listAt(body: Json, path: string): Json[] {
  const value = valueAt(body, path);
  if (!Array.isArray(value) || !value.every(isObject))
    throw invalidParameter(`Param ${path} must be a list of JSON objects.`);
  return value;
}

function timeAt(body: Json, path: string): string {
  const text = textAt(body, path);
  if (!/^([01]\d|2[0-3])[0-5]\d$/.test(text)) throw invalidParameter(`Param ${path} must be HHMM.`);
  return text;
}
