/** The meaning of a colour. Never use colour alone: add text or an icon. */
export type Tone = 'neutral' | 'accent' | 'positive' | 'negative' | 'warning';

export const softTone: Record<Tone, string> = {
  neutral: 'bg-pressed text-ink',
  accent: 'bg-accent-soft text-accent',
  positive: 'bg-positive-soft text-positive',
  negative: 'bg-negative-soft text-negative-text',
  warning: 'bg-warning-soft text-warning',
};

export const textTone: Record<Tone, string> = {
  neutral: 'text-muted',
  accent: 'text-accent',
  positive: 'text-positive',
  negative: 'text-negative-text',
  warning: 'text-warning',
};

export const fillTone: Record<Tone, string> = {
  neutral: 'bg-line-strong',
  accent: 'bg-accent',
  positive: 'bg-positive',
  negative: 'bg-negative',
  warning: 'bg-warning',
};
