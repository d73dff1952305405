/** The names of flow templates, without their contents, which lists do not need. */
export const templateNames = ['menu', 'hours', 'message', 'language', 'blank'] as const;
export type TemplateName = (typeof templateNames)[number];

export const templateLabels: Record<TemplateName, { label: string; note: string }> = {
  menu: { label: 'Menu with two queues', note: '“For sales press 1, for support press 2.”' },
  hours: {
    label: 'Opening hours',
    note: 'Sends callers to a queue when you are open, and plays a message when you are closed.',
  },
  message: { label: 'Message and goodbye', note: 'Plays a message to every caller, then hangs up.' },
  language: {
    label: 'Language choice',
    note: 'Callers press a key for their language and reach a queue that speaks it.',
  },
  blank: { label: 'Blank flow', note: 'Starts empty. Add the steps yourself.' },
};

export const isTemplate = (name: string | null): name is TemplateName =>
  templateNames.some((each) => each === name);
