import {
  channelName,
  CopyButton,
  customerNumber,
  DateTime,
  Definition,
  DescriptionList,
  Duration,
  JsonView,
  Section,
  TextLink,
} from '@clarion/ui';
import { failureAdvice } from '#lib/dashboard/calls/failure-advice.ts';
import type { Call } from '#lib/dashboard/calls/outcome-labels.ts';
import type { Names } from '#lib/dashboard/calls/use-names.ts';

export function CallDetails({ call, names }: { call: Call; names: Names }) {
  const { customer, durations, answeredAt, queuedAt, endedAt } = call;
  const advice = failureAdvice(call.failureDetails);
  return (
    <Section title="Details">
      <DescriptionList
        items={[
          { term: 'Direction', value: call.direction === 'INBOUND' ? 'Inbound' : 'Outbound' },
          {
            term: 'Customer',
            value: customerNumber(customer) ?? 'Erased',
            ...(customer.address !== null && !customer.addressWithheld && { copy: customer.address }),
          },
          { term: 'Channel', value: channelName(call.channelType) },
          { term: 'Line', value: names.lineByRef(call.channelRef) },
          { term: 'Queue', value: names.queueByRef(call.queueRef) },
          { term: 'Agent', value: names.agentByRef(call.agentRef) },
          { term: 'Started', value: <DateTime at={call.createdAt} seconds /> },
          { term: 'Answered', value: answeredAt && <DateTime at={answeredAt} seconds /> },
          { term: 'Ended', value: endedAt && <DateTime at={endedAt} seconds /> },
          {
            term: (
              <Definition term="Waited">
                The time from entering the first queue to the answer or the end of the call.
              </Definition>
            ),
            value: queuedAt && <Duration seconds={durations.wait} />,
          },
          {
            term: <Definition term="Talked">The time from the answer to the end of the call.</Definition>,
            value: answeredAt && <Duration seconds={durations.call} />,
          },
          {
            term: 'Your reference',
            value: call.externalRef,
            ...(call.externalRef !== null && { copy: call.externalRef }),
          },
          { term: 'Call ID', value: call.callId, copy: String(call.callId) },
        ]}
      />
      {call.consumerMetadata !== null && (
        <JsonView className="mt-4" label="Your metadata" value={call.consumerMetadata} />
      )}
      {call.failureDetails !== null && (
        <div className="mt-4 flex flex-col gap-1 text-md">
          <span className="text-sm text-muted">
            {call.channelType === 'WHATSAPP' ? 'WhatsApp response' : 'Carrier response'}
          </span>
          <span>
            {call.failureDetails.message}
            {call.failureDetails.sipStatus !== null &&
              ` SIP ${call.failureDetails.sipStatus} ${call.failureDetails.sipReason ?? ''}`}
            {call.failureDetails.providerCode !== null && ` Error ${call.failureDetails.providerCode}.`}
          </span>
          {typeof advice?.text === 'string' && <span>{advice.text}</span>}
          {advice !== null && (
            <span>
              <span className="text-muted">What to do: </span>
              {advice.fix}
              {advice.field !== null && (
                <>
                  {' '}
                  Field: <code className="font-mono text-sm">{advice.field}</code>.
                </>
              )}{' '}
              <TextLink href={advice.docs}>More about this failure</TextLink>
            </span>
          )}
          <CopyButton
            text={JSON.stringify(call.failureDetails)}
            label="Copy details"
            className="self-start"
          />
        </div>
      )}
    </Section>
  );
}
