/** What the status of a trunk means, and what its owner does next. */
import type { Tone } from '@clarion/ui';
import type { OwnTrunk, SelfService, Trunk } from '../edit/resources.ts';

export type TrunkStatus = Trunk['status'];

interface StatusText {
  label: string;
  tone: Tone;
  /** A sentence. */
  meaning: string;
}

export const trunkStatusTexts: Record<TrunkStatus, StatusText> = {
  DRAFT: { label: 'Draft', tone: 'neutral', meaning: 'Not submitted yet. It has no calls.' },
  PENDING: {
    label: 'Waiting for approval',
    tone: 'warning',
    meaning: 'Submitted. It has no calls until the operator approves it.',
  },
  ACTIVE: { label: 'Active', tone: 'positive', meaning: 'It receives and places calls.' },
  DISABLED: { label: 'Disabled', tone: 'neutral', meaning: 'Switched off. Its calls are rejected.' },
  SUSPENDED: {
    label: 'Suspended',
    tone: 'negative',
    meaning: 'Suspended by the operator. Its calls are rejected, and it cannot be changed.',
  },
};

/** What submitting and approval mean for the account. */
export const selfServiceTexts: Record<SelfService, { label: string; meaning: string }> = {
  OFF: {
    label: 'Operator only',
    meaning:
      'Only the operator of this service adds and changes trunks of this account. Contact them for a new one.',
  },
  APPROVAL: {
    label: 'With approval',
    meaning: 'You add and change trunks. The operator approves each one before it has calls.',
  },
  AUTO: {
    label: 'Without approval',
    meaning: 'You add and change trunks. Each one is active as soon as you submit it.',
  },
};

/** Whether the form may be changed at all: the API refuses it otherwise. */
export const isEditable = (trunk: Pick<OwnTrunk, 'status'>, selfService: SelfService): boolean =>
  selfService !== 'OFF' && trunk.status !== 'SUSPENDED';

export type NextStep =
  | { kind: 'add-sources' }
  | { kind: 'submit'; rejected: string | null }
  | { kind: 'wait'; since: string | null }
  | { kind: 'enable' }
  | { kind: 'contact-operator' }
  | { kind: 'create-line' }
  | { kind: 'none' };

/** `lines`: how many lines use the trunk; undefined while that is not known. */
export function nextStep(
  trunk: Pick<OwnTrunk, 'status' | 'inboundSourceCidrs' | 'reviewNote' | 'submittedAt'>,
  selfService: SelfService,
  lines: number | undefined,
): NextStep {
  switch (trunk.status) {
    case 'DRAFT':
      if (selfService === 'OFF') return { kind: 'contact-operator' };
      return trunk.inboundSourceCidrs.length === 0
        ? { kind: 'add-sources' }
        : { kind: 'submit', rejected: trunk.reviewNote };
    case 'PENDING':
      return { kind: 'wait', since: trunk.submittedAt };
    case 'DISABLED':
      return selfService === 'OFF' ? { kind: 'contact-operator' } : { kind: 'enable' };
    case 'SUSPENDED':
      return { kind: 'contact-operator' };
    case 'ACTIVE':
      return lines === 0 ? { kind: 'create-line' } : { kind: 'none' };
  }
}
