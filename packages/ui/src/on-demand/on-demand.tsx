'use client';

import { lazy, Suspense, useState, type ComponentType } from 'react';

type Load<Props> = () => Promise<ComponentType<Props>>;

const later = <Props extends object>(load: Load<Props>) => lazy(async () => ({ default: await load() }));

/** A component whose code is loaded after the page. Until then, `Waiting` is rendered with the same props. */
export function onDemand<Props extends object>(
  load: Load<Props>,
  Waiting: ComponentType<Props>,
): ComponentType<Props> {
  const Loaded: ComponentType<Props> = later(load);
  return function OnDemand(props: Props) {
    return (
      <Suspense fallback={<Waiting {...props} />}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}

/** A component that is loaded when it is first opened. */
export function whenOpen<Props extends object>(
  load: Load<Props>,
  isOpen: (props: Props) => boolean,
): ComponentType<Props> {
  const Loaded: ComponentType<Props> = later(load);
  return function WhenOpen(props: Props) {
    const open = isOpen(props);
    const [wanted, setWanted] = useState(open);
    if (open && !wanted) setWanted(true);
    return (
      wanted && (
        <Suspense fallback={null}>
          <Loaded {...props} />
        </Suspense>
      )
    );
  };
}
