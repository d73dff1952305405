export { Button, type ButtonProps, type ButtonSize, type ButtonTone } from './actions/Button.tsx';
export { ButtonLink, type ButtonLinkProps } from './actions/ButtonLink.tsx';
export { CopyButton, type CopyButtonProps } from './actions/CopyButton.tsx';
export { IconButton, type IconButtonProps } from './actions/IconButton.tsx';
export type { MenuItem, MenuProps } from './actions/Menu.tsx';
export { TextLink, type TextLinkProps } from './actions/TextLink.tsx';
export { Command } from './command/Command.tsx';
export { Avatar, type AvatarProps } from './data/Avatar.tsx';
export { ChannelBadge, channelName, type CallChannel, type ChannelBadgeProps } from './data/ChannelBadge.tsx';
export { Badge, type BadgeProps } from './data/Badge.tsx';
export { CheckList, type Check, type CheckListProps, type CheckState } from './data/CheckList.tsx';
export { CodeBlock, KeyValueCode, type CodeBlockProps, type KeyValueCodeProps } from './data/CodeBlock.tsx';
export type { DefinitionProps } from './data/Definition.tsx';
export { JsonView, type JsonViewProps } from './data/JsonView.tsx';
export { Meter, ProgressBar, type MeterProps, type ProgressBarProps } from './data/Meter.tsx';
export { None } from './data/None.tsx';
export { LoadMore, Pagination, type LoadMoreProps, type PaginationProps } from './data/Pagination.tsx';
export { Sparkline, type SparklineProps } from './data/Sparkline.tsx';
export { Stat, StatRow, type StatProps, type StatTrend } from './data/Stat.tsx';
export { Table, type Column, type TableProps } from './data/Table.tsx';
export {
  DateTime,
  Duration,
  LiveTimer,
  RelativeTime,
  type DurationProps,
  type LiveTimerProps,
} from './data/Time.tsx';
export { Timeline, type TimelineItem } from './data/Timeline.tsx';
export { Callout, type CalloutProps } from './feedback/Callout.tsx';
export { EmptyState, type EmptyStateProps } from './feedback/EmptyState.tsx';
export { ErrorState, type ErrorStateProps } from './feedback/ErrorState.tsx';
export { Notice, type NoticeProps } from './feedback/Notice.tsx';
export { Skeleton } from './feedback/Skeleton.tsx';
export { ToastProvider, useToasts, type ToastContent } from './feedback/Toasts.tsx';
export { Tooltip, type TooltipProps } from './feedback/Tooltip.tsx';
export { CheckboxField, type CheckboxFieldProps } from './forms/CheckboxField.tsx';
export type { Choice } from './forms/ChoiceSelect.tsx';
export { CodeField, type CodeFieldProps } from './forms/CodeField.tsx';
export type { ComboFieldProps } from './forms/ComboField.tsx';
export type { DateRange, DateRangeFieldProps, DateRangePreset } from './forms/DateRangeField.tsx';
export { Field, FieldGroup, type FieldGroupProps, type FieldProps } from './forms/Field.tsx';
export { FileDrop, type FileDropProps } from './forms/FileDrop.tsx';
export { Form, FormActions, type FormActionsProps, type FormProps } from './forms/Form.tsx';
export type { MultiSelectFieldProps } from './forms/MultiSelectField.tsx';
export type { NumberFieldProps } from './forms/NumberField.tsx';
export { PasswordField, type PasswordFieldProps } from './forms/PasswordField.tsx';
export type { RadioCard, RadioCardsProps } from './forms/RadioCards.tsx';
export { SearchField, type SearchFieldProps } from './forms/SearchField.tsx';
export { SegmentedControl, type Segment, type SegmentedControlProps } from './forms/SegmentedControl.tsx';
export type { SelectFieldProps } from './forms/SelectField.tsx';
export { SwitchField, type SwitchFieldProps } from './forms/SwitchField.tsx';
export { TextField, type TextFieldProps } from './forms/TextField.tsx';
export { Card, type CardProps } from './layout/Card.tsx';
export type { ConfirmDialogProps } from './layout/ConfirmDialog.tsx';
export {
  DescriptionList,
  type DescriptionItem,
  type DescriptionListProps,
} from './layout/DescriptionList.tsx';
export type { DialogProps, DrawerProps } from './layout/Dialog.tsx';
export { Disclosure, type DisclosureProps } from './layout/Disclosure.tsx';
export { Page, type PageProps } from './layout/Page.tsx';
export { Section, type SectionProps } from './layout/Section.tsx';
export { Grid, Split, Stack, type GridProps, type SplitProps, type StackProps } from './layout/Stack.tsx';
export { Steps, type StepsProps } from './layout/Steps.tsx';
export { TabLinks, Tabs, type Tab, type TabLinksProps, type TabsProps } from './layout/Tabs.tsx';
export { onDemand, whenOpen } from './on-demand/on-demand.tsx';
export {
  CommandMenu,
  ConfirmDialog,
  Definition,
  Dialog,
  Drawer,
  Menu,
  TenantSwitcher,
} from './on-demand/overlays.tsx';
export {
  ChoiceSelect,
  ComboField,
  DateRangeField,
  MultiSelectField,
  NumberField,
  RadioCards,
  SelectField,
  ThemeSwitch,
} from './on-demand/pickers.tsx';
export { AgentPhone, type AgentPhoneProps } from './phone/AgentPhone.tsx';
export { describeEnd, type EndMessage } from './phone/describe-end.ts';
export type * from './phone/model.ts';
export { PhonePortal } from './phone/PhonePortal.tsx';
export { classNames } from './shared/class-names.ts';
export {
  customerLabel,
  customerNumber,
  isWhatsAppUserId,
  type NamedCustomer,
} from './shared/customer-label.ts';
export { formatBytes, formatClock, formatDay, formatDuration, formatRelative } from './shared/format.ts';
export { LinkProvider, type LinkComponent } from './shared/link.tsx';
export { PortalProvider } from './shared/portal.tsx';
export { Spinner } from './shared/Spinner.tsx';
export type { Tone } from './shared/tones.ts';
export { useNow } from './shared/use-now.ts';
export { AppShell, type AppShellProps, type NavGroup, type NavItem } from './shell/AppShell.tsx';
export { AuthCard, type AuthCardProps } from './shell/AuthCard.tsx';
export type { CommandGroup, CommandItem, CommandMenuProps } from './shell/CommandMenu.tsx';
export type { TenantSwitcherProps } from './shell/TenantSwitcher.tsx';
export type { Theme, ThemeSwitchProps } from './shell/ThemeSwitch.tsx';
