/** The generated parts of handwritten pages. They are built from the protocol, so they cannot drift from it. */
import { errorTable } from '@clarion/protocol';
import { callEndpoints } from '@clarion/protocol/v1/call/calls';
import { callView } from '@clarion/protocol/call';
import { agentFigures, callFigures, liveQueue } from '@clarion/protocol/v1/report/reports';
import { eventTypeSections, eventTypeTable } from './event-types.ts';
import { failureSections } from './failure-catalogue.ts';
import { fieldTable } from './reference/fields.ts';
import { code, table } from './tables.ts';

const errors = () =>
  table(
    ['Status', 'Code', 'When'],
    Object.entries(errorTable)
      .map(([name, [status, sentence]]) => [String(status), `\`${name}\``, sentence])
      .toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
  );

/** The `call.ended` event of the call that the reference shows. */
const eventExample = () => {
  const { call } = callEndpoints.createCall.example.answer;
  return code(
    'json',
    JSON.stringify(
      {
        event_id: '0b9c1a52-7f6e-4a58-9d3e-2f0b7f6b1c11',
        event_type: 'call.ended',
        data: {
          call: {
            ...call,
            status: 'TERMINATED',
            terminationReason: 'COMPLETED',
            terminatedBy: 'CUSTOMER',
            mediaPath: 'ROOM',
            durations: { ring: 6, wait: 0, call: 182, total: 190 },
            ringingAt: '2026-01-05T09:00:02.000Z',
            answeredAt: '2026-01-05T09:00:08.000Z',
            endedAt: '2026-01-05T09:03:10.000Z',
          },
        },
        occurred_at: '2026-01-05T09:03:10.000Z',
        tenant_ref: 'acme',
        api_version: '1',
        sequence: 4,
      },
      null,
      2,
    ),
  );
};

/** The wait before each attempt after the first (docs/requirements.md#events). */
const retrySchedule = () =>
  table(
    ['Attempt', 'After'],
    [
      ['2', '5 seconds'],
      ['3', '15 seconds'],
      ['4', '1 minute'],
      ['5', '5 minutes'],
      ['6', '15 minutes'],
      ['7', '30 minutes'],
      ['8 to 12', '1 hour each'],
      ['then', 'no further attempts: the event is `FAILED`, about 6 hours after the first attempt'],
    ],
  );

export const inserts: Readonly<Record<string, () => string>> = {
  errors,
  'event-types': eventTypeTable,
  'event-example': eventExample,
  'event-type-sections': eventTypeSections,
  'call-view': () => fieldTable(callView),
  'retry-schedule': retrySchedule,
  failures: failureSections,
  'report-figures': () => fieldTable(callFigures),
  'agent-figures': () => fieldTable(agentFigures),
  'live-figures': () => fieldTable(liveQueue),
};
