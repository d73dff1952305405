/** Whoever is not signed in goes to the sign-in page, and after it to the page they asked for. */
import { headers } from 'next/headers.js';
import { redirect } from 'next/navigation.js';
import { ASKED_PAGE_HEADER, signInAddress } from './page-after.ts';

export async function redirectToSignIn(): Promise<never> {
  redirect(signInAddress((await headers()).get(ASKED_PAGE_HEADER)));
}
