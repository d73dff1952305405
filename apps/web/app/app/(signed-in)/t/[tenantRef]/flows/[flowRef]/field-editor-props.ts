import type { FieldSpec } from '#lib/flow-builder/fields.ts';
import type { FlowResources } from './use-flow-resources.ts';

export interface FieldEditorProps {
  /** The ID of the node, a prefix of input names. */
  id: string;
  /** The path within the node's data, for example `hours[0].to`. */
  path: string;
  field: FieldSpec;
  value: unknown;
  /** Error messages by path. */
  errors: Record<string, string>;
  world: FlowResources;
  disabled: boolean;
  /** @param isTyped part of continuous typing. An undefined value omits the field. */
  onChange(value: unknown, isTyped: boolean): void;
}
