import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers.js';
import type { ReactNode } from 'react';
import { isTheme, THEME_COOKIE } from '#lib/dashboard/theme.ts';
import './globals.css';

export const metadata: Metadata = {
  title: { default: 'Clarion', template: '%s · Clarion' },
  description: 'A call engine that your product embeds.',
};
export const viewport: Viewport = { colorScheme: 'light dark' };

export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = (await cookies()).get(THEME_COOKIE)?.value;
  return (
    <html lang="en" {...(isTheme(theme) && { 'data-theme': theme })}>
      <body>{children}</body>
    </html>
  );
}
