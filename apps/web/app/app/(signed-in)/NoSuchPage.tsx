'use client';

import { ButtonLink, Page } from '@clarion/ui';

/** For what is not there and for what somebody may not see alike: which of the two is not told. */
export const NoSuchPage = () => (
  <Page
    width="narrow"
    title="Page not found"
    description="The address may be wrong, the page may have been deleted, or your role may not include it."
  >
    <ButtonLink href="/app" tone="accent" className="self-start">
      Go to home
    </ButtonLink>
  </Page>
);
