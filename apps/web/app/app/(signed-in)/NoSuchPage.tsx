'use client';

import { ButtonLink, Page } from '@clarion/ui';

/** For what is not there and for what somebody may not see alike: which of the two is not told. */
export const NoSuchPage = () => (
  <Page
    width="narrow"
    title="This page does not exist"
    description="The address may be mistyped, what it showed may be gone, or your role does not include it."
  >
    <ButtonLink href="/app" tone="accent" className="self-start">
      Go to the home page
    </ButtonLink>
  </Page>
);
