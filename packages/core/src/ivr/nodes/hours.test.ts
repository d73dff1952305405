import { ivrStructure } from '@clarion/protocol/ivr/structure';
import { describe, expect, test } from 'vitest';
import { isOpen } from './hours.ts';

const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'];
function hours(data: { timezone: string; hours?: object[]; exceptions?: object[] }) {
  const [node] = ivrStructure.parse({
    nodes: [{ id: 'h', type: 'ivr_hours', data: { hours: [], ...data } }],
    edges: [],
  }).nodes;
  if (node?.type !== 'ivr_hours') throw new Error('no hours');
  return node.data;
}
const openAt = (data: ReturnType<typeof hours>, at: string) => isOpen(data, Date.parse(at));

describe('opening hours', () => {
  const office = hours({
    timezone: 'Europe/London',
    hours: [
      { days: WEEKDAYS, from: '09:00', to: '12:00' },
      { days: WEEKDAYS, from: '13:00', to: '17:30' },
      { days: ['SATURDAY'], from: '22:00', to: '24:00' },
      { days: ['SUNDAY'], from: '00:00', to: '02:00' },
    ],
    exceptions: [{ date: '2026-12-25' }, { date: '2026-12-24', hours: [{ from: '10:00', to: '11:00' }] }],
  });

  test.each<[string, boolean, string]>([
    // Winter: London is UTC.
    ['2026-01-05T08:59:59.999Z', false, 'a moment before'],
    ['2026-01-05T09:00:00.000Z', true, 'the first moment'],
    ['2026-01-05T11:59:59.999Z', true, 'the last moment'],
    ['2026-01-05T12:00:00.000Z', false, 'its end is outside'],
    ['2026-01-05T13:00:00.000Z', true, 'the second part of the day'],
    ['2026-01-04T10:00:00.000Z', false, 'Sunday'],
    // Summer: UTC + 1.
    ['2026-07-06T07:59:59.999Z', false, 'an hour earlier in UTC'],
    ['2026-07-06T08:00:00.000Z', true, 'nine in local time'],
    // A night over midnight, in two parts.
    ['2026-01-03T23:59:59.999Z', true, 'Saturday night'],
    ['2026-01-04T00:00:00.000Z', true, 'Sunday, the same night'],
    ['2026-01-04T02:00:00.000Z', false, 'and it is over'],
    // The night the clock goes forward: 01:00 becomes 02:00, and Sunday's two hours are one.
    ['2026-03-29T00:59:59.999Z', true, 'before the jump'],
    ['2026-03-29T01:00:00.000Z', false, 'it is two already'],
    // The night it goes back: 01:30 comes twice, and both are open.
    ['2026-10-25T00:30:00.000Z', true, 'half past one, the first'],
    ['2026-10-25T01:30:00.000Z', true, 'half past one, the second'],
    ['2026-10-25T02:00:00.000Z', false, 'two'],
    // Exceptions replace the weekly hours.
    ['2026-12-25T10:00:00.000Z', false, 'a Friday that is closed'],
    ['2026-12-24T10:30:00.000Z', true, 'a short Thursday'],
    ['2026-12-24T14:00:00.000Z', false, 'its afternoon'],
  ])('%s → %s (%s)', (at, open) => {
    expect(openAt(office, at)).toBe(open);
  });

  test('the date is the local one of the time zone', () => {
    const auckland = hours({
      timezone: 'Pacific/Auckland',
      hours: [{ days: ['TUESDAY'], from: '00:00', to: '24:00' }],
      exceptions: [{ date: '2026-01-13' }],
    });
    expect(openAt(auckland, '2026-01-05T11:00:00Z')).toBe(true); // Tuesday 00:00 there
    expect(openAt(auckland, '2026-01-06T10:59:59Z')).toBe(true);
    expect(openAt(auckland, '2026-01-06T11:00:00Z')).toBe(false); // Wednesday
    expect(openAt(auckland, '2026-01-12T12:00:00Z')).toBe(false); // the 13th there
  });

  test('zones with half-hour offsets are supported', () => {
    const kolkata = hours({
      timezone: 'Asia/Kolkata',
      hours: [{ days: ['MONDAY'], from: '09:00', to: '10:00' }],
    });
    expect(openAt(kolkata, '2026-01-05T03:29:59Z')).toBe(false);
    expect(openAt(kolkata, '2026-01-05T03:30:00Z')).toBe(true);
  });

  test('never open without hours', () => {
    expect(openAt(hours({ timezone: 'UTC' }), '2026-01-05T10:00:00Z')).toBe(false);
  });
});
