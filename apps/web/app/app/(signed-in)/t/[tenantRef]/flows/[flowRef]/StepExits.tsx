'use client';

import { SelectField } from '@clarion/ui';
import { inWalkOrder, targetOfExit } from '#lib/flow-builder/draft.ts';
import type { DraftNode } from '#lib/flow-builder/draft.ts';
import { factsIn } from '#lib/flow-builder/kinds.ts';
import { exitLabel } from '#lib/flow-builder/labels.ts';
import { titleOf } from './node-labels.ts';
import type { Builder } from './use-builder.ts';
import type { Commands } from './use-commands.ts';

const NOWHERE = ':nowhere';
/** With more exits than this, unused exits are added one by one. */
const FEW_EXITS = 4;

/** The target of each exit, as an alternative to drawing edges. */
export function StepExits({
  node,
  builder,
  commands,
}: {
  node: DraftNode;
  builder: Builder;
  commands: Commands;
}) {
  const { draft, editable } = builder;
  const { exits, needed } = factsIn(node);
  if (exits.length === 0) return null;
  const leads = (exit: string) => targetOfExit(draft, node.id, exit);
  const isShown = (exit: string) =>
    exits.length <= FEW_EXITS ||
    exit === 'next' ||
    leads(exit) !== null ||
    needed.some((each) => each.exit === exit);
  const steps = inWalkOrder(draft).filter(({ id }) => id !== node.id);
  const choices = [
    { value: NOWHERE, label: 'Not connected', note: 'End of flow: the line’s queue, or hang up' },
    ...steps.map((step) => ({ value: step.id, label: titleOf(step), note: step.id })),
    { value: node.id, label: 'This step again' },
  ];
  const rest = exits.filter((exit) => !isShown(exit));
  return (
    <section aria-label="Exits" className="flex flex-col gap-4 border-t border-line pt-4">
      <h3 className="text-md font-semibold text-ink">Exits</h3>
      {exits.filter(isShown).map((exit) => (
        <SelectField
          key={exit}
          name={`${node.id}-exit-${exit}`}
          label={exitLabel(node.type, exit)}
          choices={choices}
          value={leads(exit) ?? NOWHERE}
          onValueChange={(target) => commands.connect(node.id, exit, target === NOWHERE ? null : target)}
          disabled={!editable}
        />
      ))}
      {rest.length > 0 && editable && steps.length > 0 && (
        <SelectField
          key={rest.join()}
          name={`${node.id}-exit-more`}
          label="Add a key"
          placeholder="Choose a key"
          choices={rest.map((exit) => ({ value: exit, label: exitLabel(node.type, exit) }))}
          value={null}
          onValueChange={(exit) => {
            const free = steps.find(
              ({ id, type }) => type !== 'ivr_start' && !draft.edges.some(({ target }) => target === id),
            );
            const target = free ?? steps.find(({ type }) => type !== 'ivr_start');
            if (target) commands.connect(node.id, exit, target.id);
          }}
        />
      )}
    </section>
  );
}
