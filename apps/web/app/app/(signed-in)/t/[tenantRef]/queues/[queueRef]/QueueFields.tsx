'use client';

import { FieldGroup, NumberField, SelectField, SwitchField } from '@clarion/ui';
import { OptionalNumber } from '#lib/dashboard/edit/OptionalNumber.tsx';
import type { Queue } from '#lib/dashboard/edit/resources.ts';
import { useGet } from '#lib/dashboard/queries.ts';
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
        label="Ring time per member"
        hint="5 to 300 seconds. The default is 20. Then the call is offered to the next member."
        unit="seconds"
        min={5}
        max={300}
        value={draft.ringSeconds}
        onValueChange={(ringSeconds) => change({ ringSeconds })}
      />
      <NumberField
        name="wrap_up_seconds"
        label="Wrap-up time"
        hint="0 to 3600 seconds. After an answered call, queues do not offer the agent calls during this time. Agents can end wrap-up sooner. 0 turns it off."
        unit="seconds"
        min={0}
        max={3600}
        value={draft.wrapUpSeconds}
        onValueChange={(wrapUpSeconds) => change({ wrapUpSeconds })}
      />
      <OptionalNumber
        name="max_active_calls"
        switchLabel="Limit concurrent calls"
        switchHint="1 to 10000 calls. Further callers wait even if an agent is available. When off, there is no limit."
        label="Maximum"
        unit="calls"
        min={1}
        max={10_000}
        start={10}
        value={draft.maxActiveCalls}
        onChange={(maxActiveCalls) => change({ maxActiveCalls })}
      />
      <OptionalNumber
        name="skills_wait_seconds"
        switchLabel="Relax skill requirements"
        switchHint="0 to 86400 seconds. After this time, a call that requires skills rings all members. When off, skills are always required."
        label="Relax after"
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
      <FieldGroup title="Waiting time" className="[&>*]:max-w-2xl">
        <OptionalNumber
          name="max_wait_seconds"
          switchLabel="Limit the wait"
          switchHint="5 to 86400 seconds. When off, callers wait until they are answered or hang up."
          label="Maximum wait"
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
              { value: NONE, label: 'End the call', note: 'The call ends with the reason TIMEOUT.' },
              ...others.map(({ ref, name }) => ({ value: ref, label: `Overflow to ${name}`, note: ref })),
            ]}
            value={draft.overflowRef || NONE}
            onValueChange={(value) => change({ overflowRef: value === NONE ? '' : value })}
          />
        )}
      </FieldGroup>
      <FieldGroup
        className="[&>*]:max-w-2xl"
        title="Waiting experience"
        hint="Applies to callers who were answered by a flow or by this queue. Until then, callers hear ringing from their carrier."
      >
        <SwitchField
          name="answer_while_waiting"
          label="Answer callers while they wait"
          hint="Callers hear the hold audio instead of ringing, and their carrier charges them while they wait. Turn this on if callers may wait longer than a minute, because many networks end a call after one to three minutes of ringing. When off, callers hear ringing and are not charged until an agent answers. WhatsApp callers are always answered."
          checked={draft.answerWhileWaiting}
          onCheckedChange={(answerWhileWaiting) => change({ answerWhileWaiting })}
        />
        <SelectField
          name="hold_audio_asset_id"
          label="Hold audio"
          className="max-w-md"
          hint={
            assets.length === 0 ? 'Upload audio on the Audio page to use it here.' : 'The audio is repeated.'
          }
          choices={[
            { value: NONE, label: 'Default tone' },
            ...assets.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          value={draft.holdAudioId || NONE}
          onValueChange={(value) => change({ holdAudioId: value === NONE ? '' : value })}
        />
        <SwitchField
          name="announce_position"
          label="Announce position in queue"
          checked={draft.announcePosition}
          onCheckedChange={(announcePosition) => change({ announcePosition })}
        />
        <SwitchField
          name="announce_wait"
          label="Announce estimated wait time"
          hint="Estimated from the last 20 calls and the available agents."
          checked={draft.announceWait}
          onCheckedChange={(announceWait) => change({ announceWait })}
        />
        {announces && (
          <NumberField
            name="announce_every_seconds"
            label="Announcement interval"
            hint="15 to 600 seconds. The first announcement plays immediately."
            unit="seconds"
            min={15}
            max={600}
            value={draft.announceEverySeconds}
            onValueChange={(announceEverySeconds) => change({ announceEverySeconds })}
          />
        )}
        <SelectField
          name="callback_key"
          label="Offer a callback"
          className="max-w-md"
          hint="Callers who press the key can hang up. They keep their place in the queue and are called back."
          choices={[
            { value: NONE, label: 'No' },
            ...KEYS.map((key) => ({ value: key, label: `Key ${key}` })),
          ]}
          value={draft.callbackKey || NONE}
          onValueChange={(value) => change({ callbackKey: value === NONE ? '' : value })}
        />
      </FieldGroup>
    </>
  );
}
