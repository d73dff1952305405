/** Why a sign-in was rejected, as passed to the sign-in page, and the message that it shows. */
const messages = {
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
/** For a launch it adds the rule that the token violates, for the developer who creates the tokens. */
export type SignInError = keyof typeof messages | `launch: ${string}`;

const isSignInError = (why: string): why is keyof typeof messages => Object.hasOwn(messages, why);

export function signInErrorMessage(why: string): string {
  const [, rule] = /^launch: (.+)$/s.exec(why) ?? [];
  if (rule !== undefined) return `${messages.launch} (${rule})`;
  return isSignInError(why) ? messages[why] : messages.broken;
}
