'use client';

import { Monitor, Moon, Sun } from 'lucide-react';
import { SegmentedControl } from '../forms/SegmentedControl.tsx';

export type Theme = 'system' | 'light' | 'dark';

export interface ThemeSwitchProps {
  value: Theme;
  onChange(theme: Theme): void;
  className?: string;
}

const choices = [
  { value: 'system', label: 'System', icon: <Monitor aria-hidden /> },
  { value: 'light', label: 'Light', icon: <Sun aria-hidden /> },
  { value: 'dark', label: 'Dark', icon: <Moon aria-hidden /> },
] as const;

export function ThemeSwitch(props: ThemeSwitchProps) {
  return <SegmentedControl label="Theme" choices={choices} {...props} />;
}
