import { post } from './sign-in.ts';

/** Ends this session and leaves every page of it. */
export async function signOut(): Promise<void> {
  await post('signout', {}).catch(() => undefined);
  location.assign('/app/sign-in');
}
