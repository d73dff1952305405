/** Why somebody was not let in, as the sign-in page is told, and what it says then. */
const refusals = {
  wrong:
    'That address and password do not belong together. After several wrong tries it takes a while until the next one counts; a new password always works at once.',
  code: 'Type in the code that your authenticator shows.',
  'wrong-code': 'This code is not right, or was used already. Wait for the next one, or use a recovery code.',
  ticket:
    'Your new password is set, but signing in with the link took too long or too many codes. Sign in with your password, or ask for another link.',
  suspended: 'This account is suspended. Ask whoever runs this service.',
  launch:
    'This link does not work any more: each one opens the dashboard once, within five minutes. Go back to your product and open it again.',
  'too-many': 'There were many tries from where you are. Wait a minute and try again.',
  broken: 'Signing in did not work. Try again in a moment.',
} as const;
/** A launch adds the rule that its token broke, for whoever makes the tokens. */
export type SignInRefusal = keyof typeof refusals | `launch: ${string}`;

const isRefusal = (why: string): why is keyof typeof refusals => Object.hasOwn(refusals, why);

export function refusalWords(why: string): string {
  const [, rule] = /^launch: (.+)$/s.exec(why) ?? [];
  if (rule !== undefined) return `${refusals.launch} (${rule})`;
  return isRefusal(why) ? refusals[why] : refusals.broken;
}
