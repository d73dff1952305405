/** What flows to begin with are called: apart from what they are made of, which lists do without. */
export const templateNames = ['menu', 'hours', 'message', 'language', 'blank'] as const;
export type TemplateName = (typeof templateNames)[number];

export const templateWords: Record<TemplateName, { label: string; note: string }> = {
  menu: { label: 'Menu with two queues', note: '“For sales press 1, for support press 2.”' },
  hours: {
    label: 'Opening hours',
    note: 'Callers reach a queue when you are open, and hear a message when not.',
  },
  message: { label: 'Message and goodbye', note: 'Says something to every caller, then hangs up.' },
  language: { label: 'Language choice', note: 'A key for each language, then a queue that speaks it.' },
  blank: { label: 'Start from nothing', note: 'Only the start. Add the steps yourself.' },
};

export const isTemplate = (name: string | null): name is TemplateName =>
  templateNames.some((each) => each === name);
