/** Why somebody was not let in, as the sign-in page is told, and what it says then. */
const refusals = {
  wrong:
    'Wrong email or password. After several failed attempts, sign-in is locked for a while. Resetting your password unlocks it.',
  code: 'Enter the code from your authenticator app.',
  'wrong-code': 'The code is incorrect or was already used. Wait for the next code, or use a recovery code.',
  ticket:
    'Your new password was saved, but the link has expired. Sign in with your password, or request a new link.',
  suspended: 'This account is suspended. Contact the operator of this service.',
  launch:
    'This link is no longer valid. Each link works once, within five minutes. Open the dashboard from your product again.',
  'too-many': 'Too many attempts from your network. Wait a minute and try again.',
  broken: 'Sign-in failed. Try again in a moment.',
} as const;
/** A launch adds the rule that its token broke, for whoever makes the tokens. */
export type SignInRefusal = keyof typeof refusals | `launch: ${string}`;

const isRefusal = (why: string): why is keyof typeof refusals => Object.hasOwn(refusals, why);

export function refusalWords(why: string): string {
  const [, rule] = /^launch: (.+)$/s.exec(why) ?? [];
  if (rule !== undefined) return `${refusals.launch} (${rule})`;
  return isRefusal(why) ? refusals[why] : refusals.broken;
}
