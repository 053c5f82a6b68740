import type { TablePath } from './model.ts'

/**
 * Returns a function that gives the keys under which the value of an ENDPOINT column is stored: those that it
 * is renamed to, or its own.
 */
export function outputRenaming({
  output_mapping = [],
}: TablePath): (column: string) => readonly string[] {
  const renamed = Map.groupBy(output_mapping, ({ from }) => from)
  return (column) => renamed.get(column)?.map(({ to }) => to) ?? [column]
}
