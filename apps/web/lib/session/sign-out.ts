import { post } from './sign-in.ts';

/** Ends this session and leaves the page. */
export async function signOut(): Promise<void> {
  await post('signout', {}).catch(() => undefined);
  location.assign('/app/sign-in');
}
