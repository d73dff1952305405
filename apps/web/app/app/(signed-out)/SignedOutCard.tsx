import { AuthCard, type AuthCardProps } from '@clarion/ui';

/** The card of every signed-out page. */
export const SignedOutCard = (props: Omit<AuthCardProps, 'brand'>) => (
  <AuthCard brand={<Brand />} {...props} />
);

const Brand = () => (
  <p className="flex items-center gap-2 text-lg font-semibold tracking-tight">
    <span aria-hidden className="grid size-8 place-items-center rounded-lg bg-accent text-on-accent">
      <svg viewBox="0 0 24 24" className="size-5" fill="none" stroke="currentColor" strokeWidth="2.5">
        <path strokeLinecap="round" d="M5 10v4M10 6v12M15 9v6M20 11v2" />
      </svg>
    </span>
    Clarion
  </p>
);
