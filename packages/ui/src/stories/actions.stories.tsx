import { Copy, Ellipsis, ExternalLink, Pencil, Plus, Trash2 } from 'lucide-react';
import { Button, type ButtonTone } from '../actions/Button.tsx';
import { ButtonLink } from '../actions/ButtonLink.tsx';
import { CopyButton } from '../actions/CopyButton.tsx';
import { IconButton } from '../actions/IconButton.tsx';
import { Menu, type MenuItem } from '../actions/Menu.tsx';
import { TextLink } from '../actions/TextLink.tsx';
import { Tooltip } from '../feedback/Tooltip.tsx';
import { ignore, LONG, show, wide, type Story } from './support.tsx';

export default { title: 'Actions', ...wide };

const TONES: ButtonTone[] = ['quiet', 'accent', 'positive', 'negative', 'plain'];
const plus = <Plus className="size-4" aria-hidden />;

export const Buttons: Story = show(() => (
  <div className="flex flex-col gap-5">
    {(['md', 'sm', 'lg'] as const).map((size) => (
      <div key={size} className="flex flex-wrap gap-2">
        {TONES.map((tone) => (
          <Button key={tone} tone={tone} size={size} icon={plus}>
            Add {tone}
          </Button>
        ))}
      </div>
    ))}
    <div className="flex flex-wrap gap-2">
      {TONES.map((tone) => (
        <Button key={tone} tone={tone} busy>
          Saving
        </Button>
      ))}
    </div>
    <div className="flex flex-wrap gap-2">
      {TONES.map((tone) => (
        <Button key={tone} tone={tone} disabled>
          Not now
        </Button>
      ))}
    </div>
    <Button className="max-w-full [overflow-wrap:anywhere]">{LONG}</Button>
  </div>
));

export const Links: Story = show(() => (
  <div className="flex flex-wrap items-center gap-3">
    <ButtonLink href="#one">Open</ButtonLink>
    <ButtonLink href="#two" tone="accent" icon={plus}>
      New queue
    </ButtonLink>
    <ButtonLink href="#three" tone="plain" size="sm" icon={<ExternalLink className="size-4" aria-hidden />}>
      Documentation
    </ButtonLink>
    <p className="text-md">
      Read <TextLink href="#four">how queues select agents</TextLink> first.
    </p>
  </div>
));

export const Icons: Story = show(() => (
  <div className="flex flex-wrap gap-2">
    <IconButton label="Edit" icon={<Pencil aria-hidden />} />
    <IconButton label="Edit" tone="quiet" icon={<Pencil aria-hidden />} />
    <IconButton label="Edit" tone="accent" icon={<Pencil aria-hidden />} />
    <IconButton label="Edit" size="sm" icon={<Pencil aria-hidden />} />
    <IconButton label="Edit" busy icon={<Pencil aria-hidden />} />
    <IconButton label="Edit" disabled icon={<Pencil aria-hidden />} />
    <CopyButton text="a" />
    <CopyButton text="a" label="Copy key" />
  </div>
));

const items: MenuItem[] = [
  { label: 'Edit', icon: <Pencil aria-hidden />, onSelect: ignore },
  { label: 'Copy ID', icon: <Copy aria-hidden />, onSelect: ignore },
  { label: 'Open the documentation', icon: <ExternalLink aria-hidden />, href: '#docs' },
  { label: 'Not allowed for your role', disabled: true },
  { label: 'Delete', icon: <Trash2 aria-hidden />, tone: 'negative', onSelect: ignore },
];
const trigger = <IconButton label="More" icon={<Ellipsis aria-hidden />} />;

export const MenuClosed: Story = show(() => <Menu label="Queue" trigger={trigger} items={items} />);

export const MenuOpen: Story = {
  ...show(() => <Menu label="Queue" trigger={trigger} items={items} header={LONG} align="start" />),
  play: async ({ canvas, userEvent }) => userEvent.click(await canvas.findByRole('button')),
};

export const TooltipShown: Story = {
  ...show(() => (
    <div className="pt-16">
      <Tooltip text="Calls that waited longer than the service level threshold">
        <Button>Over threshold</Button>
      </Tooltip>
    </div>
  )),
  play: async ({ userEvent }) => userEvent.tab(),
};
