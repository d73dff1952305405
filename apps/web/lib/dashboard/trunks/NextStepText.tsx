import { RelativeTime } from '@clarion/ui';
import type { NextStep } from './trunk-status.ts';

/** In a list: the next step in a few words. The page of the trunk has its button. */
export function NextStepText({ step }: { step: NextStep }) {
  switch (step.kind) {
    case 'add-sources':
      return 'Add the source addresses of the carrier';
    case 'submit':
      return step.rejected === null ? 'Submit it' : 'Rejected: correct it and submit it again';
    case 'wait':
      return (
        <span className="flex flex-col">
          Wait for the operator
          {step.since !== null && (
            <span className="text-xs text-muted">
              Submitted <RelativeTime at={step.since} />
            </span>
          )}
        </span>
      );
    case 'enable':
      return 'Enable it';
    case 'contact-operator':
      return 'Contact the operator';
    case 'create-line':
      return 'Create a line on it';
    case 'none':
      return <span className="text-muted">Nothing to do</span>;
  }
}
