/** The announcement to a waiting caller, as names of recorded words that media includes. Pure. */
import type { VoiceWord } from '@clarion/protocol/voices';

export interface Announcement {
  /** 1: next. Null: not announced. */
  position: number | null;
  /** Null: not announced, or no estimate. */
  waitSeconds: number | null;
  /** The callback key. Null: not offered. */
  callbackKey: string | null;
}

/** Callers with a higher position hear no number. */
export const MAX_SPOKEN_POSITION = 99;
const MINUTE_SECONDS = 60;
/** From this estimate on, the announcement is "more than an hour". */
const MAX_SPOKEN_MINUTES = 60;

/** @returns nothing if there is nothing to announce */
export function announcementWords({ position, waitSeconds, callbackKey }: Announcement): VoiceWord[] {
  const sentences = [
    position === null ? [] : positionWords(position),
    waitSeconds === null ? [] : waitWords(waitSeconds),
    callbackKey === null ? [] : callbackWords(callbackKey),
  ].filter((words) => words.length > 0);
  return sentences.flatMap((words, index): VoiceWord[] => (index === 0 ? words : ['pause', ...words]));
}

function positionWords(position: number): VoiceWord[] {
  return position > MAX_SPOKEN_POSITION
    ? ['many-callers']
    : ['you-are-number', ...numberWords(position), 'in-the-queue'];
}

/** Rounded up to whole minutes, because callers do not mind if the wait is shorter. */
function waitWords(seconds: number): VoiceWord[] {
  const minutes = Math.ceil(seconds / MINUTE_SECONDS);
  if (seconds < MINUTE_SECONDS) return ['estimated-wait', 'less-than-a-minute'];
  if (minutes > MAX_SPOKEN_MINUTES) return ['estimated-wait', 'more-than-an-hour'];
  return ['estimated-wait', 'about', ...numberWords(minutes), minutes === 1 ? 'minute' : 'minutes'];
}

function callbackWords(key: string): VoiceWord[] {
  const spoken = key === '*' ? 'star' : key === '#' ? 'hash' : digitWord(key);
  return spoken === null ? [] : ['press', spoken, 'to-be-called-back'];
}

const DIGITS = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;
const digitWord = (key: string): VoiceWord | null => DIGITS.find((digit) => digit === key) ?? null;

const UP_TO_NINETEEN = [...DIGITS, '10', '11', '12', '13', '14', '15', '16', '17', '18', '19'] as const;
const TENS = [null, null, '20', '30', '40', '50', '60', '70', '80', '90'] as const;

/** 0 to 99. */
export function numberWords(number: number): VoiceWord[] {
  const small = UP_TO_NINETEEN[number];
  if (small !== undefined) return [small];
  const ten = TENS[Math.floor(number / 10)];
  const one = number % 10;
  if (!ten) return [];
  return one === 0 ? [ten] : [ten, ...numberWords(one)];
}
