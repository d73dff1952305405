/** Skills: words that a queue's member has and that an IVR may ask for. Case and blanks around them do not matter. */
import { z } from 'zod';
import { required, text } from '../fields/fields.ts';

export const MAX_SKILLS = 20;
export const SKILL_MAX_CHARS = 64;

/** In lower case. */
const skill = text(SKILL_MAX_CHARS).transform((value) => value.toLowerCase());

export const skillList = z
  .array(required(skill))
  .max(MAX_SKILLS)
  .check(({ value, issues }) => {
    value.forEach((word, index) => {
      if (value.indexOf(word) === index) return;
      issues.push({ code: 'custom', message: 'is listed more than once', path: [index], input: word });
    });
  });
