/** Redirects to the sign-in page, which continues to the requested page. */
import { headers } from 'next/headers.js';
import { redirect } from 'next/navigation.js';
import { ASKED_PAGE_HEADER, signInAddress } from './page-after.ts';

export async function redirectToSignIn(): Promise<never> {
  redirect(signInAddress((await headers()).get(ASKED_PAGE_HEADER)));
}
