'use client';

import { FieldGroup, NumberField, SelectField, SwitchField } from '@clarion/ui';
import { OptionalNumber } from '../../../../../../../lib/dashboard/edit/OptionalNumber.tsx';
import type { Queue } from '../../../../../../../lib/dashboard/edit/resources.ts';
import { useGet } from '../../../../../../../lib/dashboard/queries.ts';
import type { QueueDraft } from './queue-draft.ts';

interface FieldsProps {
  draft: QueueDraft;
  change(changes: Partial<QueueDraft>): void;
}

const NONE = 'none';
const KEYS = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '#'];

export function RingingFields({ draft, change }: FieldsProps) {
  return (
    <>
      <NumberField
        name="ring_timeout_seconds"
        label="How long it rings at one member"
        hint="5 to 300 seconds. 20 unless you say otherwise. Then the call goes on to the next."
        unit="seconds"
        min={5}
        max={300}
        value={draft.ringSeconds}
        onValueChange={(ringSeconds) => change({ ringSeconds })}
      />
      <NumberField
        name="wrap_up_seconds"
        label="Time to wrap up"
        hint="0 to 3600 seconds. After an answered call no queue rings its agent for so long; they may end it sooner. 0: none."
        unit="seconds"
        min={0}
        max={3600}
        value={draft.wrapUpSeconds}
        onValueChange={(wrapUpSeconds) => change({ wrapUpSeconds })}
      />
      <OptionalNumber
        name="max_active_calls"
        switchLabel="Cap the calls handled at once"
        switchHint="1 to 10000. Further callers wait although somebody is free. Off: no cap."
        label="At most"
        unit="calls"
        min={1}
        max={10_000}
        start={10}
        value={draft.maxActiveCalls}
        onChange={(maxActiveCalls) => change({ maxActiveCalls })}
      />
      <OptionalNumber
        name="skills_wait_seconds"
        switchLabel="Let skills go after a while"
        switchHint="0 to 86400 seconds. A caller for whom a flow asked for skills then rings at every member. Off: skills always count."
        label="After waiting"
        unit="seconds"
        min={0}
        max={86_400}
        start={60}
        value={draft.skillsWaitSeconds}
        onChange={(skillsWaitSeconds) => change({ skillsWaitSeconds })}
      />
    </>
  );
}

interface WaitingProps extends FieldsProps {
  tenantRef: string;
  queue: Queue;
  queues: readonly Queue[];
}

export function WaitingFields({ tenantRef, queue, queues, draft, change }: WaitingProps) {
  const { data } = useGet('/v1/tenants/{tenantRef}/audio-assets', { path: { tenantRef } });
  const assets = data?.audioAssets ?? [];
  const others = queues.filter(({ ref }) => ref !== queue.ref);
  const announces = draft.announcePosition || draft.announceWait;
  return (
    <>
      <FieldGroup title="How long callers wait" className="[&>*]:max-w-2xl">
        <OptionalNumber
          name="max_wait_seconds"
          switchLabel="Stop waiting after a while"
          switchHint="5 to 86400 seconds. Off: callers wait until they are answered or hang up."
          label="Wait at most"
          unit="seconds"
          min={5}
          max={86_400}
          start={300}
          value={draft.maxWaitSeconds}
          onChange={(maxWaitSeconds) => change({ maxWaitSeconds })}
        />
        {draft.maxWaitSeconds !== null && (
          <SelectField
            name="overflow_queue_ref"
            label="Then"
            className="max-w-md"
            choices={[
              { value: NONE, label: 'End the call', note: 'It ends as TIMEOUT.' },
              ...others.map(({ ref, name }) => ({ value: ref, label: `Go on to ${name}`, note: ref })),
            ]}
            value={draft.overflowRef || NONE}
            onValueChange={(value) => change({ overflowRef: value === NONE ? '' : value })}
          />
        )}
      </FieldGroup>
      <FieldGroup
        className="[&>*]:max-w-2xl"
        title="What callers hear"
        hint="For callers who have been answered, by a flow or by this queue. Until then they only hear their carrier's ringing."
      >
        <SwitchField
          name="answer_while_waiting"
          label="Answer callers while they wait"
          hint="Callers hear the hold audio at once instead of ringing, and their carrier charges them while they wait. Turn this on if callers may wait longer than a minute: many networks end a call after one to three minutes of ringing. Off: callers hear ringing, and nobody is charged before an agent answers."
          checked={draft.answerWhileWaiting}
          onCheckedChange={(answerWhileWaiting) => change({ answerWhileWaiting })}
        />
        <SelectField
          name="hold_audio_asset_id"
          label="While they wait"
          className="max-w-md"
          hint={
            assets.length === 0
              ? 'Upload a sound on the page Audio to play it here.'
              : 'It is played over and over.'
          }
          choices={[
            { value: NONE, label: 'The standard tone' },
            ...assets.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          value={draft.holdAudioId || NONE}
          onValueChange={(value) => change({ holdAudioId: value === NONE ? '' : value })}
        />
        <SwitchField
          name="announce_position"
          label="Say how many are before them"
          checked={draft.announcePosition}
          onCheckedChange={(announcePosition) => change({ announcePosition })}
        />
        <SwitchField
          name="announce_wait"
          label="Say about how long it may take"
          hint="Worked out from the last 20 conversations and who is free."
          checked={draft.announceWait}
          onCheckedChange={(announceWait) => change({ announceWait })}
        />
        {announces && (
          <NumberField
            name="announce_every_seconds"
            label="How often"
            hint="15 to 600 seconds. The first comes at once."
            unit="seconds"
            min={15}
            max={600}
            value={draft.announceEverySeconds}
            onValueChange={(announceEverySeconds) => change({ announceEverySeconds })}
          />
        )}
        <SelectField
          name="callback_key"
          label="Offer to call back"
          className="max-w-md"
          hint="Who presses the key hangs up, keeps their place, and is called when an agent takes their turn."
          choices={[
            { value: NONE, label: 'No' },
            ...KEYS.map((key) => ({ value: key, label: `With the key ${key}` })),
          ]}
          value={draft.callbackKey || NONE}
          onValueChange={(value) => change({ callbackKey: value === NONE ? '' : value })}
        />
      </FieldGroup>
    </>
  );
}
