/** Why somebody was not let in, as the sign-in page is told, and what it says then. */
const refusals = {
  wrong:
    'That address and password do not belong together. After several wrong tries it takes a while until the next one counts; a new password always works at once.',
  suspended: 'This account is suspended. Ask whoever runs this service.',
  'too-many': 'There were many tries from where you are. Wait a minute and try again.',
} as const;
export type SignInRefusal = keyof typeof refusals;

const isRefusal = (why: string): why is SignInRefusal => why in refusals;

export const refusalWords = (why: string): string =>
  isRefusal(why) ? refusals[why] : 'Signing in did not work. Try again in a moment.';
