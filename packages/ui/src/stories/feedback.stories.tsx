import { Phone } from 'lucide-react';
import { Button } from '../actions/Button.tsx';
import { TextLink } from '../actions/TextLink.tsx';
import { Callout } from '../feedback/Callout.tsx';
import { EmptyState } from '../feedback/EmptyState.tsx';
import { ErrorState } from '../feedback/ErrorState.tsx';
import { Notice } from '../feedback/Notice.tsx';
import { Skeleton } from '../feedback/Skeleton.tsx';
import { ToastProvider, useToasts } from '../feedback/Toasts.tsx';
import { ignore, LONG, show, wide, type Story } from './support.tsx';

export default { title: 'Feedback', ...wide };

export const Notices: Story = show(() => (
  <div className="flex max-w-3xl flex-col gap-3">
    <Notice>Calls are routed according to opening hours in the Europe/Berlin time zone.</Notice>
    <Notice tone="accent" title="This flow has a new version" action={<Button size="sm">View</Button>}>
      Ada saved it ten minutes ago.
    </Notice>
    <Notice tone="positive" title="The trunk is registered" />
    <Notice
      tone="warning"
      title="This queue has too few agents"
      action={<Button size="sm">Add agents</Button>}
    >
      {LONG}
    </Notice>
    <Notice tone="negative" title="The webhook is failing">
      Its last 12 deliveries failed. <TextLink href="#log">View failed deliveries</TextLink>
    </Notice>
    <Callout title="How queues select agents">
      The agent who has been idle longest gets the next call.
    </Callout>
  </div>
));

export const Empty: Story = show(() => (
  <EmptyState
    icon={<Phone aria-hidden />}
    title="No numbers yet"
    action={<Button tone="accent">Add a number</Button>}
  >
    Add a number from your carrier to receive calls to it.
  </EmptyState>
));

export const Failed: Story = show(() => (
  <ErrorState
    title="The calls could not be loaded"
    detail="The service did not respond in time. No data was lost."
    requestId="req_01JD8K2M4ZQ0V6W8Y0A2C4E6"
    onRetry={ignore}
  />
));

export const Loading: Story = show(() => (
  <div aria-busy className="flex max-w-sm flex-col gap-3">
    <Skeleton className="h-6 w-1/2" />
    <Skeleton />
    <Skeleton className="w-3/4" />
  </div>
));

function Toasters() {
  const toasts = useToasts();
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => toasts.add({ title: 'Queue deleted', undo: ignore })}>Delete</Button>
      <Button onClick={() => toasts.add({ title: 'Saved', tone: 'positive' })}>Save</Button>
      <Button onClick={() => toasts.add({ title: 'Not saved', description: LONG, tone: 'negative' })}>
        Fail
      </Button>
    </div>
  );
}

export const Toasts: Story = {
  ...show(() => (
    <ToastProvider>
      <Toasters />
    </ToastProvider>
  )),
  play: async ({ canvas, userEvent }) => {
    for (const button of await canvas.findAllByRole('button')) await userEvent.click(button);
  },
};
