'use client';

import { Avatar, Button, Menu, type Theme, ThemeSwitch } from '@clarion/ui';
import { BookOpen, LogOut, UserRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { roleName } from '#lib/dashboard/role-labels.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { chooseTheme, chosenTheme } from '#lib/dashboard/theme.ts';
import { signOut } from '#lib/session/sign-out.ts';

export function AccountMenu() {
  const me = useMe();
  const [theme, setTheme] = useState<Theme>('system');
  useEffect(() => setTheme(chosenTheme()), []);
  return (
    <Menu
      label="Your account"
      side="top"
      align="start"
      trigger={
        <Button tone="plain" className="w-full justify-start px-2!">
          <Avatar name={me.name} />
          <span className="flex min-w-0 flex-col text-left">
            <span className="truncate">{me.name}</span>
            <span className="truncate text-xs font-normal text-muted">{roleName(me.role)}</span>
          </span>
        </Button>
      }
      header={
        <div className="flex flex-col gap-2">
          <span className="truncate text-muted">{me.email ?? me.name}</span>
          <ThemeSwitch
            value={theme}
            onChange={(chosen) => {
              setTheme(chosen);
              chooseTheme(chosen);
            }}
          />
        </div>
      }
      items={[
        ...(me.kind === 'STAFF'
          ? [{ label: 'Your account and security', icon: <UserRound />, href: '/app/account' }]
          : []),
        { label: 'Documentation', icon: <BookOpen />, href: '/docs' },
        { label: 'Sign out', icon: <LogOut />, onSelect: () => void signOut() },
      ]}
    />
  );
}
