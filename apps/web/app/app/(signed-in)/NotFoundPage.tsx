'use client';

import { ButtonLink, Page } from '@clarion/ui';

/** For pages that do not exist and pages that the user may not see: the response does not reveal which. */
export const NotFoundPage = () => (
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
