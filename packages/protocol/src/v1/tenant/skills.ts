/** Skills: labels of queue members that an IVR flow can require. They are case-insensitive and trimmed. */
import { z } from 'zod';
import { required, text } from '../fields/fields.ts';

export const MAX_SKILLS = 20;
export const SKILL_MAX_CHARS = 64;

/** Converted to lowercase. */
const skill = text(SKILL_MAX_CHARS).transform((value) => value.toLowerCase());

export const skillList = z
  .array(required(skill))
  .max(MAX_SKILLS)
  .check(({ value, issues }) => {
    value.forEach((name, index) => {
      if (value.indexOf(name) === index) return;
      issues.push({ code: 'custom', message: 'is listed more than once', path: [index], input: name });
    });
  });
