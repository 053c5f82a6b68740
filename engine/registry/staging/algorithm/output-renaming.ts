import type { TablePath } from './model.ts'

/**
 * Returns a function that maps the key of an ENDPOINT column to the keys under which its value is stored: those
 * to which it is renamed, or itself.
 */
export function outputRenaming({
  output_mapping = [],
}: TablePath): (column: string) => readonly string[] {
  const renamed = Map.groupBy(output_mapping, ({ from }) => from)
  return (column) => renamed.get(column)?.map(({ to }) => to) ?? [column]
}
