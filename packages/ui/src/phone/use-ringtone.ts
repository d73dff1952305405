import { useEffect, useState } from 'react';
import { Ringtone } from './ringtone.ts';

const GESTURES = ['pointerdown', 'keydown'] as const;

/** Plays the ringtone while `ringing`. The first gesture anywhere on the page unlocks audio. */
export function useRingtone(ringing: boolean): void {
  const [ringtone, setRingtone] = useState<Ringtone | null>(null);

  useEffect(() => {
    const created = new Ringtone();
    setRingtone(created);
    const unlock = () => created.unlock();
    for (const gesture of GESTURES) addEventListener(gesture, unlock);
    if (navigator.userActivation?.hasBeenActive) created.unlock();
    return () => {
      for (const gesture of GESTURES) removeEventListener(gesture, unlock);
      created.close();
    };
  }, []);

  useEffect(() => {
    if (!ringtone || !ringing) return;
    ringtone.start();
    return () => ringtone.stop();
  }, [ringtone, ringing]);
}
