import type { FieldSpec } from '../../../../../../../lib/flow-builder/fields.ts';
import type { World } from './use-world.ts';

export interface FieldEditorProps {
  /** Of the node: names of inputs hang on it. */
  id: string;
  /** Within the node's data: `hours[0].to`. */
  path: string;
  field: FieldSpec;
  value: unknown;
  /** Sentences by path. */
  errors: Record<string, string>;
  world: World;
  disabled: boolean;
  /** @param isTyped one of many changes in a row. Undefined leaves the field out. */
  onChange(value: unknown, isTyped: boolean): void;
}
