import { LoaderCircle, SignalHigh, SignalLow, SignalMedium } from 'lucide-react';
import type { PhoneAudio, PhoneQuality } from './model.ts';

interface QualityIndicatorProps {
  audio: PhoneAudio;
  quality: PhoneQuality;
}

const icon = 'size-4 shrink-0';

/** The call quality as text. */
export function QualityIndicator({ audio, quality }: QualityIndicatorProps) {
  if (audio === 'connecting' || audio === 'reconnecting')
    return (
      <p className="flex items-center gap-1.5 text-sm font-medium text-warning">
        <LoaderCircle className={`${icon} motion-safe:animate-spin`} aria-hidden />
        {audio === 'connecting' ? 'Connecting audio' : 'Audio lost. Reconnecting'}
      </p>
    );
  if (audio === 'elsewhere') return null;
  switch (quality) {
    case 'good':
      return (
        <p className="flex items-center gap-1.5 text-sm text-muted">
          <SignalHigh className={`${icon} text-positive`} aria-hidden /> Good connection
        </p>
      );
    case 'fair':
      return (
        <p className="flex items-center gap-1.5 text-sm text-ink">
          <SignalMedium className={`${icon} text-warning`} aria-hidden /> Fair connection
        </p>
      );
    case 'poor':
      return (
        <p className="flex items-center gap-1.5 text-sm font-medium text-negative">
          <SignalLow className={icon} aria-hidden /> Poor connection
        </p>
      );
    case 'unknown':
      return <p className="text-sm text-muted">Measuring connection quality</p>;
  }
}
